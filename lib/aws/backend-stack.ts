import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { awsSchedules, consumers, schedules } from '#functions/index.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { AppApi } from './api/app-api.ts';
import { DeviceApi } from './api/device-api.ts';
import { DeviceBalancer } from './api/device-balancer.ts';
import { Exports } from './data/exports.ts';
import { senderIdentityArns } from './data/grants.ts';
import { createKey } from './data/key.ts';
import { createTable } from './data/table.ts';
import type { Bundle } from './functions/bundle.ts';
import { createFunctions } from './functions/function.ts';
import { createGradualDeployments, invocationTargets } from './functions/gradual.ts';
import { hasFunction, type LambdaName, valueForFunction } from './functions/lambdas.ts';
import { environmentValues } from './functions/variables.ts';
import { createAlarms, createAlarmTopic } from './monitoring/alarms.ts';
import { createBudget } from './monitoring/budget.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { saveQueries } from './monitoring/queries.ts';
import { createMqtt } from './mqtt/mqtt.ts';
import { type ConfigurationSet, configurationSets, createServiceEvents } from './notifications/service-events.ts';
import { addEventSources, addSchedule } from './queues/consumers.ts';
import { createQueues } from './queues/queues.ts';
import type { Stage } from './settings/settings.ts';

/** Sending through a configuration set also requires permission to use the set. */
const arnsOf = (set: ConfigurationSet | null): string[] => (set ? [set.arn] : []);

type Props = StackProps & { stage: Stage; bundles: Readonly<Record<LambdaName, Bundle>> };

/** The whole system: a table, queues, and a Lambda function per contract with exactly the permissions it `uses`. */
export class BackendStack extends Stack {
  constructor(scope: Construct, id: string, { stage, bundles, ...props }: Props) {
    // Indentation counts toward CloudFormation's size limit.
    super(scope, id, { terminationProtection: stage.keepData, suppressTemplateIndentation: true, ...props });
    const table = createTable(this, stage);
    const queues = createQueues(this, stage);
    const key = createKey(this, stage);
    const api = new AppApi(this, 'api', stage);
    // The id keeps an old name for the device API: with a new id, a deployment would replace the API.
    const deviceApi = new DeviceApi(this, 'device-door', stage);
    const deviceBalancer = stage.deviceApi === 'alb' ? new DeviceBalancer(this, 'device-balancer', stage) : null;
    const alarmTopic = createAlarmTopic(this, stage);
    createBudget(this, stage);
    const sets = configurationSets(this, stage);
    if (queues.undeliverable) createServiceEvents(this, sets, queues.undeliverable);
    const exports = new Exports(this, 'exports', stage);
    const variables = environmentValues(stage, { table, queues, key, alarmTopic, exports, sets }, { api, deviceApi });
    const senders = [...senderIdentityArns(this, stage.mailSender), ...arnsOf(sets.mail)];
    const smsOrigins = stage.smsOrigin === '' ? [] : [stage.smsOrigin, ...arnsOf(sets.sms)];
    const resources = { table, queues, key, alarmTopic, exports, senders, smsOrigins, mailSender: stage.mailSender };
    const functions = createFunctions(this, { stage, bundles, variables, ...resources });

    const invoked = invocationTargets(stage, functions);
    api.grantInvoke(invoked);
    deviceApi.addOperations(invoked);
    deviceBalancer?.addOperations(invoked);
    const stageConsumers = consumers.filter(({ name }) => hasFunction(stage, name));
    for (const consumer of stageConsumers)
      addEventSources(valueForFunction(invoked, consumer.name), consumer, queues, stage);
    const stageSchedules = schedules.filter(({ name }) => hasFunction(stage, name));
    for (const schedule of [...stageSchedules, ...awsSchedules.filter(({ name }) => hasFunction(stage, name))])
      addSchedule(valueForFunction(functions, schedule.name), schedule);
    const { authorizer, ingest } = functions;
    if (queues.mqtt && authorizer && ingest) createMqtt(this, stage, { authorizer, ingest }, queues.mqtt);
    const workers = [...stageConsumers, ...stageSchedules].map(({ name }) => name);
    const monitored = { stage, table, queues, api, deviceApi, deviceBalancer, functions, workers };
    const alarms = createAlarms(this, monitored, alarmTopic);
    if (stage.gradualDeployments) createGradualDeployments(this, functions, invoked, alarms);
    if (stage.dashboard) createDashboard(this, monitored, alarms);
    saveQueries(this);
    new CfnOutput(this, 'Url', { value: api.address + BASE_PATH });
    new CfnOutput(this, 'DeviceUrl', { value: deviceApi.address + BASE_PATH });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'KeyArn', { value: key.keyArn });
  }
}
