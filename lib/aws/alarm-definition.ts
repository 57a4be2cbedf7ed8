import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { AppApi } from './api/app-api.ts';
import type { DeviceApi } from './api/device-api.ts';
import type { DeviceBalancer } from './api/device-balancer.ts';
import type { LambdaName, PerFunction } from './functions/lambdas.ts';
import type { Queues } from './queues/queues.ts';
import type { Stage } from './settings/settings.ts';

/**
 * A metric, and the threshold at which the alarm fires. `id` is also the runbook heading; `impact` states what the
 * alarm means for residents and customers. Missing data fires only alarms with a lower bound.
 *
 * CloudWatch sends a notification when an alarm starts, not while it lasts. So an alarm about individual homes, sensors
 * or messages has to count arrivals. If it watched a level instead, one case that keeps the level high would hide the
 * next one. `withinPeriods` is the number of periods for which an arrival counts (1 by default).
 */
export type AlarmDefinition = { id: string; metric: IMetric; impact: string; withinPeriods?: number } & (
  | { atLeast: number }
  | { above: number }
  | { below: number }
);

/** The stage resources covered by alarms and the dashboard. */
export type MonitoredResources = {
  stage: Stage;
  table: ITable;
  queues: Queues;
  functions: PerFunction<LambdaFunction>;
  /** The functions triggered by queues or schedules. No caller gets an error when they fail, so they need alarms. */
  workers: readonly LambdaName[];
  api: AppApi;
  deviceApi: DeviceApi;
  /** Null if devices use the HTTP API. */
  deviceBalancer: DeviceBalancer | null;
};
