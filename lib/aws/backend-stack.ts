import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { consumers, schedules } from '../../functions/index.ts';
import { BASE_PATH } from '../../shared/api/operation.ts';
import { watchOver } from './alarms.ts';
import { addOperations, addressOf, answerElsewhere, createApi, createDomain, gatewayAddressOf } from './api.ts';
import type { Bundle } from './bundle.ts';
import { feed, runByClock } from './consumers.ts';
import { addRoutes, createDeviceDoor, deviceAddressOf, gatewayAddressOfDevices } from './device-door.ts';
import { operationsAt } from './doors.ts';
import { createFunctions } from './function.ts';
import { sendersOf } from './grants.ts';
import { createKey } from './key.ts';
import type { LambdaName } from './lambdas.ts';
import { createQueues } from './queues.ts';
import type { Stage } from './stage.ts';
import { createTable } from './table.ts';
import { variablesOf } from './variables.ts';

type Props = StackProps & { stage: Stage; bundles: Readonly<Record<LambdaName, Bundle>> };

/** The whole system: a table, its queues, and a Lambda for each contract with just the rights that it `uses`. */
export class BackendStack extends Stack {
  constructor(scope: Construct, id: string, { stage, bundles, ...props }: Props) {
    super(scope, id, props);
    const table = createTable(this, stage);
    const queues = createQueues(this);
    const key = createKey(this, stage);
    const api = createApi(this, stage);
    const address = addressOf(api, stage);
    const deviceDoor = createDeviceDoor(this, stage);
    const deviceAddress = deviceAddressOf(deviceDoor, stage);
    const own = [address, gatewayAddressOf(api, stage), deviceAddress, gatewayAddressOfDevices(deviceDoor)];
    const variables = variablesOf(stage, table, queues, key, { address, deviceAddress, own });
    const senders = sendersOf(this, stage.mailSender);
    const functions = createFunctions(this, { stage, bundles, variables, table, queues, key, senders });

    addOperations(api, operationsAt('apps', functions));
    answerElsewhere(api, functions.server);
    // Strangers at this door take nothing that the apps need.
    addRoutes(deviceDoor, operationsAt('devices', functions), functions.devices);
    if (stage.certificateArn !== '') createDomain(api, stage);
    for (const consumer of consumers) feed(functions[consumer.name], consumer, queues, stage);
    for (const schedule of schedules) runByClock(functions[schedule.name], schedule);
    const clocks = schedules.map(({ name }) => name);
    watchOver(this, { table, queues, api, deviceDoor, functions, clocks }, stage);
    new CfnOutput(this, 'Url', { value: address + BASE_PATH });
    new CfnOutput(this, 'DeviceUrl', { value: deviceAddress + BASE_PATH });
    new CfnOutput(this, 'TableName', { value: table.tableName });
  }
}
