import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { WorkQueue } from '../../shared/capabilities.ts';
import type { DeviceDoor } from './device-door.ts';
import type { Queues } from './queues.ts';
import type { Stage } from './stage.ts';

/** `impact` is a sentence for whoever is woken by it: what it means for people, and what to look at. */
type Watch = { id: string; metric: IMetric; impact: string } & (
  | { atLeast: number }
  | { above: number }
  | { below: number }
);
export type Watched = {
  table: Table;
  queues: Queues;
  functions: Readonly<Record<string, LambdaFunction>>;
  /** What runs by the clock, and so must run. */
  clocks: readonly string[];
  api: RestApi;
  deviceDoor: DeviceDoor;
};

const period = Duration.minutes(5);
const sum = { period, statistic: 'Sum' } as const;
const maximum = { period, statistic: 'Maximum' } as const;

/** Seconds that a message may be old at the most. Retries wait up to 900 s in their queue before anyone may take them. */
const OLD: Readonly<Record<WorkQueue, { seconds: number; impact: string }>> = {
  events: { seconds: 60, impact: 'Falls are noticed late: messages of devices wait to be evaluated.' },
  timers: { seconds: 1_200, impact: 'Falls that their sensor does not follow up are moved on late.' },
  deliveries: { seconds: 300, impact: 'Customers hear of falls late: first deliveries to webhooks wait.' },
  retries: { seconds: 1_800, impact: 'Webhooks that failed before are tried again later than promised.' },
};

const ofQueues = (queues: Queues): Watch[] =>
  (Object.keys(OLD) as WorkQueue[]).flatMap((name) => [
    {
      id: `${name}-dead`,
      metric: queues[name].dead.metricApproximateNumberOfMessagesVisible(maximum),
      atLeast: 1,
      impact: `Work of the queue ${name} failed each time that it was tried: after an outage it is to be put back, else it is a bug of ours.`,
    },
    {
      id: `${name}-old`,
      metric: queues[name].queue.metricApproximateAgeOfOldestMessage(maximum),
      above: OLD[name].seconds,
      impact: OLD[name].impact,
    },
  ]);

const ofQuarantine = ({ quarantine }: Queues): Watch => ({
  id: 'quarantine',
  metric: quarantine.queue.metricApproximateNumberOfMessagesVisible(maximum),
  atLeast: 1,
  impact: 'A message that nobody can read was put aside, which only a bug of ours makes: it says its queue and why.',
});

const ofFunctions = (functions: Watched['functions']): Watch[] =>
  Object.entries(functions).flatMap(([name, watched]) => [
    {
      id: `${name}-errors`,
      metric: watched.metricErrors(sum),
      atLeast: 1,
      impact: `The function ${name} crashed or ran out of time or memory, so its callers got a 503 or its work comes again; see its log.`,
    },
    {
      id: `${name}-throttles`,
      metric: watched.metricThrottles(sum),
      atLeast: 1,
      impact: `The function ${name} was refused a start: what is reserved for it, or the account's concurrency, is used up, so calls fail and work waits.`,
    },
  ]);

const ofTable = (table: Table): Watch[] =>
  (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((name) => ({
    id: `table-${name}`,
    metric: table.metric(name, sum),
    atLeast: 10,
    impact: `The table refuses ${name.startsWith('Read') ? 'reads' : 'writes'}: calls slow down and end as 503, most likely because of one hot customer.`,
  }));

const ofApi = (api: RestApi): Watch => ({
  id: 'api-5xx',
  metric: api.metricServerError(sum),
  atLeast: 5,
  impact: 'People and apps get errors from us, and see them. The access log of the API names the resource.',
});

const ofDeviceDoor = ({ api, throttled }: DeviceDoor): Watch[] => [
  {
    id: 'device-door-5xx',
    metric: api.metricServerError(sum),
    atLeast: 5,
    impact:
      'Devices get errors from us, so falls are noticed late: devices try again. The access log of their door names the route.',
  },
  {
    id: 'device-door-throttled',
    metric: throttled.with(sum),
    atLeast: 10,
    impact:
      'Devices are turned away because all of them together call more often than deviceThrottle lets in, so falls are noticed late.',
  },
];

/** Silence counts here: nothing that does not run says so. */
const ofClocks = ({ functions, clocks }: Watched): Watch[] =>
  clocks.flatMap((name) => {
    const metric = functions[name]?.metricInvocations(sum);
    const impact = `The function ${name} does not run: silence is not noticed, retries of more than 15 minutes wait, and dead letters are not put back.`;
    return metric ? [{ id: `${name}-silent`, metric, below: 1, impact }] : [];
  });

const comparisonOf = (watch: Watch): [number, ComparisonOperator] => {
  if ('atLeast' in watch) return [watch.atLeast, ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD];
  if ('above' in watch) return [watch.above, ComparisonOperator.GREATER_THAN_THRESHOLD];
  return [watch.below, ComparisonOperator.LESS_THAN_THRESHOLD];
};

const createAlarm = (scope: Construct, watch: Watch): Alarm => {
  const { id, metric, impact } = watch;
  const [threshold, comparisonOperator] = comparisonOf(watch);
  return new Alarm(scope, `alarm-${id}`, {
    metric,
    threshold,
    comparisonOperator,
    treatMissingData: 'below' in watch ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    evaluationPeriods: 1,
    alarmDescription: impact,
  });
};

/**
 * A topic that alarms of this account may publish to. With `enforceSSL` it has a policy of its own, in the place of the
 * default one by which CloudWatch would be allowed to.
 * https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
 */
const createTopic = (scope: Construct, email: string): Topic => {
  const topic = new Topic(scope, 'alarms', { enforceSSL: true });
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  topic.addSubscription(new EmailSubscription(email));
  return topic;
};

/** Watches everything whose failure a person should know of. Without an address the alarms are seen, not sent. */
export const watchOver = (scope: Construct, watched: Watched, { alarmEmail }: Stage): void => {
  const { table, queues, functions, api, deviceDoor } = watched;
  const ofDoors = [ofApi(api), ...ofDeviceDoor(deviceDoor)];
  const all = [
    ...ofQueues(queues),
    ofQuarantine(queues),
    ...ofFunctions(functions),
    ...ofTable(table),
    ...ofDoors,
    ...ofClocks(watched),
  ];
  const alarms = all.map((watch) => createAlarm(scope, watch));
  if (alarmEmail === '') return;
  const topic = createTopic(scope, alarmEmail);
  for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
};
