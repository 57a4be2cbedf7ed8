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
import { ruleNameOf } from './mqtt-names.ts';
import type { Queues } from './queues.ts';
import type { Stage } from './settings.ts';

/**
 * What is watched. `id` is its heading in the runbook too; `impact` is a sentence for whoever is woken by it: what it
 * means for people. Data that is missing is no trouble, but below a bound it is.
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
  /** What works on queues, and what runs by the clock: nobody gets an answer that tells of its failure. */
  workers: readonly LambdaName[];
  /** What runs by the clock, and so must run. */
  clocks: readonly LambdaName[];
  api: SpecRestApi;
  deviceDoor: DeviceDoor;
  /** Where the stage has one. */
  webAcl: CfnWebACL | null;
};

/** Seconds that a message may be old at the most. Retries wait up to 900 s in their queue before anyone may take them. */
const OLD: Readonly<Record<WorkQueue, { seconds: number; impact: string }>> = {
  events: { seconds: 60, impact: 'Falls are noticed late: messages of devices wait to be evaluated.' },
  timers: { seconds: 1_200, impact: 'Falls that their sensor does not follow up are moved on late.' },
  deliveries: { seconds: 300, impact: 'Customers hear of falls late: first deliveries to webhooks wait.' },
  mqtt: { seconds: 300, impact: 'Falls are noticed late: messages that AWS IoT could not hand over wait to be taken.' },
  retries: { seconds: 1_800, impact: 'Webhooks that failed before are tried again later than promised.' },
};

const ofFalls = ({ table, deviceDoor, stage }: Watched): Watch[] => [
  {
    id: 'falls-late',
    metric: ownMetric(table, 'TimeToFirstAttempt', 'p99'),
    above: 30_000,
    impact: 'Customers hear of falls late: from a message to the first attempt to tell it, more than 30 s pass.',
  },
  ...(stage.silenceMinutes === 0
    ? []
    : [
        {
          id: 'messages-absent',
          metric: ownMetric(table, 'MessagesAccepted').with({ period: Duration.minutes(stage.silenceMinutes) }),
          below: 1,
          impact: 'No device is heard of: no fall is noticed at all, and nobody is told so.',
        },
      ]),
  {
    id: 'device-door-5xx',
    metric: deviceDoor.api.metricServerError(sum),
    atLeast: 5,
    impact: 'Devices get errors from us, so falls are noticed late: devices try again.',
  },
  {
    id: 'device-door-throttled',
    metric: deviceDoor.throttled.with(sum),
    atLeast: 10,
    impact:
      'Devices are turned away because all of them together call more often than deviceThrottle lets in, so falls are noticed late.',
  },
];

const ofIot = (metricName: string, dimensionsMap: Readonly<Record<string, string>>): Metric =>
  new Metric({ namespace: 'AWS/IoT', metricName, dimensionsMap, ...sum });

/**
 * Of connections AWS IoT counts those of the whole account.
 * https://docs.aws.amazon.com/iot/latest/developerguide/metrics_dimensions.html
 */
const ofMqtt = ({ stage }: Watched): Watch[] => {
  if (!stage.mqtt) return [];
  const RuleName = ruleNameOf(stage);
  const turnedAway = ['Connect.AuthError', 'Connect.Throttle', 'Connect.ServerError', 'PublishIn.Throttle'];
  return [
    {
      id: 'mqtt-turned-away',
      metric: total(turnedAway.map((name) => ofIot(name, { Protocol: 'MQTT' }))),
      atLeast: 100,
      impact:
        'Devices are turned away at MQTT, for their tokens, their number or an error of AWS, so falls are noticed late.',
    },
    {
      id: 'mqtt-rule',
      metric: total([
        ofIot('Failure', { RuleName, ActionType: 'Lambda' }),
        ofIot('RuleMessageThrottled', { RuleName }),
        ofIot('ErrorActionFailure', { RuleName, ActionType: 'SQS' }),
      ]),
      atLeast: 1,
      impact: 'Messages that devices had acknowledged were not handed over: they wait in the queue mqtt, or are lost.',
    },
  ];
};

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
    impact: 'What was due 15 minutes ago is not done: silent sensors are not noticed, long retries are late.',
  },
  {
    id: 'dead-letters',
    metric: total(workQueues.map((name) => queues[name].dead.metricApproximateNumberOfMessagesVisible(maximum))),
    atLeast: 1,
    impact: 'Work failed each time that it was tried: somebody may not have been told of a fall.',
  },
  {
    id: 'quarantine',
    metric: queues.quarantine.queue.metricApproximateNumberOfMessagesVisible(maximum),
    atLeast: 1,
    impact: 'A message that nobody can read was put aside, which only a bug of ours makes: it may be a fall.',
  },
];

/** Those that answer requests are watched at their doors: what goes wrong in them is a 5xx there. */
const ofFunctions = ({ functions, workers, clocks, stage }: Watched): Watch[] => [
  {
    id: 'workers-failing',
    metric: total(workers.map((name) => functions[name].metricErrors(sum))),
    atLeast: 1,
    impact: 'A function that works in the background crashed or ran out of time or memory: its work comes again, late.',
  },
  {
    id: 'workers-throttled',
    metric: total(workers.map((name) => functions[name].metricThrottles(sum))),
    atLeast: 5,
    impact: 'A function that works in the background is refused starts, so that what falls need waits.',
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
    impact: 'The account is about to refuse invocations: devices and apps would get errors, and work would wait.',
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
    impact: 'People and apps get errors from us, and see them.',
  },
  {
    id: 'logins-failed',
    metric: ownMetric(table, 'LoginsFailed'),
    atLeast: 500,
    impact: 'Somebody guesses passwords: an account may be taken over, and with it what its home tells.',
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
          impact: 'The web ACL turns away many calls: it is an attack, or a rule that hits people who mean well.',
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
          impact: 'People who forgot their password hear nothing, and above 10 % SES sends no more mails at all.',
        },
      ]),
];

const ofReceivers = ({ table }: Watched): Watch => ({
  id: 'breakers-opened',
  metric: ownMetric(table, 'BreakersOpened'),
  atLeast: 10,
  impact:
    'Many receivers fail at the same time, so their people are not told of falls: most likely our way out is broken.',
});

/** Everything whose failure a person should know of, what falls need first. */
export const watchesOf = (watched: Watched): Watch[] => [
  ...ofFalls(watched),
  ...ofMqtt(watched),
  ...ofQueues(watched),
  ofReceivers(watched),
  ...ofFunctions(watched),
  ...ofTable(watched),
  ...ofApps(watched),
];
