import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import type { IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
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
  api: SpecRestApi;
  /** The calls of the console that its throttle refused. */
  consoleThrottled: Metric;
  deviceApi: DeviceApi;
  /** The web ACL of the stage; null when it has none. */
  webAcl: CfnWebACL | null;
};
