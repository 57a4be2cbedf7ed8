import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { consumers, schedules, schedulesOfAws } from '#functions/index.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import { AppsApi } from './api/apps-api.ts';
import { DeviceApi } from './api/device-api.ts';
import { Exports } from './data/exports.ts';
import { sendersOf } from './data/grants.ts';
import { createKey } from './data/key.ts';
import { createTable } from './data/table.ts';
import type { Bundle } from './functions/bundle.ts';
import { createFunctions } from './functions/function.ts';
import { invokedIn, shiftGradually } from './functions/gradual.ts';
import { functionIn, isIn, type LambdaName } from './functions/lambdas.ts';
import { variablesOf } from './functions/variables.ts';
import { createMqtt } from './mqtt/mqtt.ts';
import { addEventSources, addSchedule } from './queues/consumers.ts';
import { createQueues } from './queues/queues.ts';
import type { Stage } from './settings/settings.ts';
import { createAlarms, createAlarmTopic } from './watching/alarms.ts';
import { createDashboard } from './watching/dashboard.ts';
import { saveQueries } from './watching/queries.ts';

type Props = StackProps & { stage: Stage; bundles: Readonly<Record<LambdaName, Bundle>> };

/** The whole system: a table, its queues, and a Lambda function per contract with exactly the permissions it `uses`. */
export class BackendStack extends Stack {
  constructor(scope: Construct, id: string, { stage, bundles, ...props }: Props) {
    // Indentation counts towards CloudFormation's size limit.
    super(scope, id, { terminationProtection: stage.keepData, suppressTemplateIndentation: true, ...props });
    const table = createTable(this, stage);
    const queues = createQueues(this, stage);
    const key = createKey(this, stage);
    const api = new AppsApi(this, 'api', stage);
    // The id keeps an old name of the device API, because a new id would make a deployment replace the API.
    const deviceApi = new DeviceApi(this, 'device-door', stage);
    const alarmTopic = createAlarmTopic(this, stage);
    const exports = new Exports(this, 'exports', stage);
    const variables = variablesOf(stage, { table, queues, key, alarmTopic, exports }, { api, deviceApi });
    const senders = sendersOf(this, stage.mailSender);
    const smsOrigins = stage.smsOrigin === '' ? [] : [stage.smsOrigin];
    const resources = { table, queues, key, alarmTopic, exports, senders, smsOrigins };
    const functions = createFunctions(this, { stage, bundles, variables, ...resources });

    const invoked = invokedIn(stage, functions);
    api.grantInvoke(invoked);
    deviceApi.addOperations(invoked);
    const stageConsumers = consumers.filter(({ name }) => isIn(stage, name));
    for (const consumer of stageConsumers) addEventSources(functionIn(invoked, consumer.name), consumer, queues, stage);
    const stageSchedules = schedules.filter(({ name }) => isIn(stage, name));
    for (const schedule of [...stageSchedules, ...schedulesOfAws.filter(({ name }) => isIn(stage, name))])
      addSchedule(functionIn(functions, schedule.name), schedule);
    const { authorizer, ingest } = functions;
    if (queues.mqtt && authorizer && ingest) createMqtt(this, stage, { authorizer, ingest }, queues.mqtt);
    const workers = [...stageConsumers, ...stageSchedules].map(({ name }) => name);
    const monitored = { stage, table, queues, api, deviceApi, functions, workers };
    const alarms = createAlarms(this, monitored, alarmTopic);
    if (stage.gradualDeployments) shiftGradually(this, functions, invoked, alarms);
    if (stage.dashboard) createDashboard(this, monitored, alarms);
    saveQueries(this);
    new CfnOutput(this, 'Url', { value: api.address + BASE_PATH });
    new CfnOutput(this, 'DeviceUrl', { value: deviceApi.address + BASE_PATH });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    new CfnOutput(this, 'KeyArn', { value: key.keyArn });
  }
}
