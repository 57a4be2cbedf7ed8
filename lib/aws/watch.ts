import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { AppsApi } from './api/apps-api.ts';
import type { DeviceApi } from './api/device-api.ts';
import type { ForFunctions, LambdaName } from './functions/lambdas.ts';
import type { Queues } from './queues/queues.ts';
import type { Stage } from './settings/settings.ts';

/**
 * A metric with its bound. `id` is also the heading in the runbook; `impact` says what the alarm means for people.
 * Missing data is no alarm for an upper bound, but is one for a lower bound.
 */
export type Watch = { id: string; metric: IMetric; impact: string } & (
  | { atLeast: number }
  | { above: number }
  | { below: number }
);
export type Watched = {
  stage: Stage;
  table: ITable;
  queues: Queues;
  functions: ForFunctions<LambdaFunction>;
  /**
   * The functions that work on queues or on a schedule. They need alarms because no caller gets an error when they
   * fail.
   */
  workers: readonly LambdaName[];
  api: AppsApi;
  deviceApi: DeviceApi;
};
