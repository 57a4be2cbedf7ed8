import { Duration } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { type WorkQueue, workQueues } from '../../shared/capabilities.ts';
import { tableDesign } from '../../shared/store/table.ts';
import type { DeviceDoor } from './device-door.ts';
import type { LambdaName } from './lambdas.ts';
import { maximum, ownMetric, sum, total } from './metrics.ts';
import { ofMqtt } from './mqtt-watches.ts';
import type { Queues } from './queues.ts';
import type { Stage } from './settings.ts';

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
  functions: Readonly<Record<LambdaName, LambdaFunction>>;
  /**
   * The functions that work on queues or on a schedule. They need alarms because no caller gets an error when they
   * fail.
   */
  workers: readonly LambdaName[];
  /** The scheduled functions, which must run regularly. */
  clocks: readonly LambdaName[];
  api: SpecRestApi;
  deviceDoor: DeviceDoor;
  /** The web ACL of the stage; null when it has none. */
  webAcl: CfnWebACL | null;
};

/** The greatest age (s) of a message in each queue. Retries are delayed by up to 900 s in their queue. */
const OLD: Readonly<Record<WorkQueue, { seconds: number; impact: string }>> = {
  events: { seconds: 60, impact: 'Falls are noticed late: messages of devices wait to be evaluated.' },
  timers: { seconds: 1_200, impact: 'Falls whose sensor sends no further messages change their state late.' },
  deliveries: { seconds: 300, impact: 'Customers are told of falls late: first deliveries to webhooks wait.' },
  mqtt: {
    seconds: 300,
    impact: 'Falls are noticed late: messages that AWS IoT could not pass on wait to be accepted.',
  },
  retries: { seconds: 1_800, impact: 'Webhooks that failed before are retried later than promised.' },
};

const ofFalls = ({ table, deviceDoor, stage }: Watched): Watch[] => [
  {
    id: 'falls-late',
    metric: ownMetric(table, 'TimeToFirstAttempt', 'p99'),
    above: 30_000,
    impact: 'Customers are told of falls late: more than 30 s pass from a message to its first delivery attempt.',
  },
  ...(stage.silenceMinutes === 0
    ? []
    : [
        {
          id: 'messages-absent',
          metric: ownMetric(table, 'MessagesAccepted').with({ period: Duration.minutes(stage.silenceMinutes) }),
          below: 1,
          impact: 'No device sends messages: no fall is noticed at all, and nobody is told so.',
        },
      ]),
  {
    id: 'device-door-5xx',
    metric: deviceDoor.api.metricServerError(sum),
    atLeast: 5,
    impact: 'Devices get errors of the service, so falls are noticed late: devices retry.',
  },
  {
    id: 'device-door-throttled',
    metric: deviceDoor.throttled.with(sum),
    atLeast: 10,
    impact:
      'Devices are refused because all of them together call more often than deviceThrottle allows, so falls are noticed late.',
  },
];

const ofQueues = ({ queues, table }: Watched): Watch[] => [
  ...workQueues.map((name) => ({
    id: `${name}-old`,
    metric: queues[name].queue.metricApproximateAgeOfOldestMessage(maximum),
    above: OLD[name].seconds,
    impact: OLD[name].impact,
  })),
  {
    id: 'waiting-old',
    metric: ownMetric(table, 'OldestWaiting', 'Minimum'),
    above: 900,
    impact: 'Tasks that were due 15 minutes ago are not done: silent sensors are not noticed, long retries are late.',
  },
  {
    id: 'dead-letters',
    metric: total(workQueues.map((name) => queues[name].dead.metricApproximateNumberOfMessagesVisible(maximum))),
    atLeast: 1,
    impact: 'A task failed at every attempt: somebody may not have been told of a fall.',
  },
  {
    id: 'quarantine',
    metric: queues.quarantine.queue.metricApproximateNumberOfMessagesVisible(maximum),
    atLeast: 1,
    impact: 'An unreadable message was put in quarantine, which only a bug can cause: it may be a fall.',
  },
];

/**
 * The watches of functions. Errors of the functions that answer requests are watched at the APIs, where they are a
 * 5xx.
 */
const ofFunctions = ({ functions, workers, clocks, stage }: Watched): Watch[] => [
  {
    id: 'workers-failing',
    metric: total(workers.map((name) => functions[name].metricErrors(sum))),
    atLeast: 1,
    impact: 'A background function crashed or ran out of time or memory: its work is retried, late.',
  },
  {
    id: 'workers-throttled',
    metric: total(workers.map((name) => functions[name].metricThrottles(sum))),
    atLeast: 5,
    impact: 'Invocations of a background function are refused, so the processing of falls waits.',
  },
  ...clocks.map((name) => ({
    id: `${name}-silent`,
    metric: functions[name].metricInvocations(sum),
    below: 1,
    impact: `The ${name} does not run: silence is not noticed, long retries wait, and dead letters are not put back.`,
  })),
  {
    id: 'concurrency',
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'ClaimedAccountConcurrency', ...maximum }),
    above: 0.8 * stage.accountConcurrency,
    impact: 'The account will soon refuse invocations: devices and apps would get errors, and work would wait.',
  },
];

const ofTable = ({ table }: Watched): Watch[] =>
  [null, ...Object.keys(tableDesign.indexes)].map((index) => ({
    id: index === null ? 'table-throttled' : `index-${index}-throttled`,
    metric: total(
      (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((name) =>
        table.metric(name, {
          ...sum,
          ...(index !== null && { dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index } }),
        }),
      ),
    ),
    atLeast: 10,
    impact:
      index === null
        ? 'The table refuses calls: they slow down and end as 503, most likely because of one hot customer.'
        : `The index ${index} refuses calls, and with it the writes of the table that change it: calls slow down.`,
  }));

const ofApps = ({ api, table, webAcl, stage }: Watched): Watch[] => [
  {
    id: 'api-5xx',
    metric: api.metricServerError(sum),
    atLeast: 5,
    impact: 'People and apps get errors of the service, and see them.',
  },
  {
    id: 'logins-failed',
    metric: ownMetric(table, 'LoginsFailed'),
    atLeast: 500,
    impact: 'Somebody guesses passwords: an account may be taken over, with all data of its home.',
  },
  ...(webAcl
    ? [
        {
          id: 'waf-blocked',
          metric: new Metric({
            namespace: 'AWS/WAFV2',
            metricName: 'BlockedRequests',
            dimensionsMap: { WebACL: table.stack.stackName, Region: table.stack.region, Rule: 'ALL' },
            ...sum,
          }),
          atLeast: 500,
          impact: 'The web ACL blocks many calls: it is an attack, or a rule that blocks legitimate users.',
        },
      ]
    : []),
  ...(stage.mailSender === ''
    ? []
    : [
        {
          id: 'mails-bounced',
          metric: new Metric({
            namespace: 'AWS/SES',
            metricName: 'Reputation.BounceRate',
            statistic: 'Maximum',
            period: Duration.hours(1),
          }),
          above: 0.05,
          impact: 'People who forgot their password get no mail, and above 10 % SES sends no more mails at all.',
        },
      ]),
];

const ofReceivers = ({ table }: Watched): Watch => ({
  id: 'breakers-opened',
  metric: ownMetric(table, 'BreakersOpened'),
  atLeast: 10,
  impact:
    'Many receivers fail at the same time, so people are not told of falls: most likely outgoing connections are broken.',
});

/** All watches, the most important ones for falls first. */
export const watchesOf = (watched: Watched): Watch[] => [
  ...ofFalls(watched),
  ...ofMqtt(watched),
  ...ofQueues(watched),
  ofReceivers(watched),
  ...ofFunctions(watched),
  ...ofTable(watched),
  ...ofApps(watched),
];
