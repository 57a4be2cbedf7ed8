import { Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { dimensions } from '#shared/observability/metrics.ts';
import type { MonitoredResources } from '../alarm-definition.ts';
import { taskQueues } from '../queues/queues.ts';
import { maximum, ownMetric, period, sum } from './metrics.ts';

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 6, height: 6 });

/** The first row, which shows whether falls are reported in time. */
const fallWidgets = ({ table, queues, stage }: MonitoredResources, alarms: readonly Alarm[]): IWidget[] => [
  new AlarmStatusWidget({ title: 'Are falls reported in time?', alarms: [...alarms], width: 6, height: 6 }),
  graph('From message to first attempt, and canary end to end (ms)', [
    ...(stage.canary ? [ownMetric(table, 'CanaryTime', 'Maximum')] : []),
    ownMetric(table, 'TimeToFirstAttempt', 'p50'),
    ownMetric(table, 'TimeToFirstAttempt', 'p99'),
    ownMetric(table, 'AttemptsLate'),
  ]),
  graph("From message to the receiver's 2xx (ms)", [
    ownMetric(table, 'TimeToReceiver', 'p50'),
    ownMetric(table, 'TimeToReceiver', 'p99'),
  ]),
  graph('Oldest message of each queue, and oldest due task (s)', [
    ...taskQueues(queues).map(([, queue]) => queue.metricApproximateAgeOfOldestMessage(maximum)),
    ownMetric(table, 'OldestWaiting', 'Maximum'),
    ownMetric(table, 'TasksOverdue'),
  ]),
];

const flowWidgets = ({ table, queues }: MonitoredResources): IWidget[] => [
  graph('Messages, events, hits', [
    ownMetric(table, 'MessagesAccepted'),
    ownMetric(table, 'Events'),
    ownMetric(table, 'RuleHits'),
    ownMetric(table, 'AlarmsToTell'),
  ]),
  graph('Deliveries', [
    ownMetric(table, 'DeliveriesDelivered'),
    ownMetric(table, 'DeliveriesRetried'),
    ownMetric(table, 'DeliveriesFailed'),
    ownMetric(table, 'BreakersOpened'),
    ownMetric(table, 'AlarmsUnnotified'),
    ownMetric(table, 'AlarmsUntold'),
    ownMetric(table, 'AlarmsUnanswered'),
    ownMetric(table, 'AlarmsFailed'),
    ownMetric(table, 'NobodyOnDuty'),
    ownMetric(table, 'SmsLimitReached'),
    ownMetric(table, 'WebhooksDisabled'),
    ownMetric(table, 'FeedsNotFetched'),
    ownMetric(table, 'FeedbackFailed'),
  ]),
  graph('Messages in the queues', [
    ...taskQueues(queues).map(([, queue]) => queue.metricApproximateNumberOfMessagesVisible(maximum)),
  ]),
  graph('Dead letters and quarantine', [
    ...taskQueues(queues).map(([, { deadLetters }]) => deadLetters.metricApproximateNumberOfMessagesVisible(maximum)),
    queues.quarantine.metricApproximateNumberOfMessagesVisible(maximum),
  ]),
];

const apiWidgets = ({ api, deviceApi, deviceBalancer, table, stage }: MonitoredResources): IWidget[] => [
  graph('Device API', [
    deviceApi.metricCount(sum),
    deviceApi.metricClientError(sum),
    deviceApi.metricServerError(sum),
    ...(deviceApi.throttled ? [deviceApi.throttled.with(sum)] : []),
    ...(deviceBalancer ? [deviceBalancer.metrics.requestCount(sum), ...deviceBalancer.serverErrors(sum)] : []),
  ]),
  graph('App API', [api.metricCount(sum), api.metricClientError(sum), api.metricServerError(sum)]),
  graph('Latency of both APIs, p99 (ms)', [
    deviceApi.metricLatency({ period, statistic: 'p99' }),
    api.metricLatency({ period, statistic: 'p99' }),
  ]),
  graph('Failed logins and notifications, rejected calls and messages', [
    ownMetric(table, 'LoginsFailed'),
    ...(stage.mailSender === '' ? [] : [ownMetric(table, 'MailsFailed')]),
    ownMetric(table, 'LettersFailed'),
    ownMetric(table, 'Undeliverable'),
    ownMetric(table, 'CallsLimited'),
    ownMetric(table, 'DevicesHeldBack'),
    ownMetric(table, 'SensorsNotUnderstood'),
  ]),
];

/** A metric across all functions in the stage. Their names begin with the stack name. */
const lambdaMetric = (stack: Stack, metricName: string, statistic: string): IMetric =>
  new MathExpression({
    expression: `SEARCH('{AWS/Lambda,FunctionName} MetricName="${metricName}" ${stack.stackName}', '${statistic}', 300)`,
    usingMetrics: {},
    period,
  });

/** Failed tasks in this stage, one line per worker and error kind. */
const failedTasks = (stack: Stack): IMetric => {
  const schema = [stack.stackName, 'service', ...dimensions.TasksFailed].join(',');
  const expression = `SEARCH('{${schema}} MetricName="TasksFailed"', 'Sum', 300)`;
  return new MathExpression({ expression, usingMetrics: {}, period });
};

const engineWidgets = ({ table, stage }: MonitoredResources): IWidget[] => [
  graph('Errors of functions', [lambdaMetric(table.stack, 'Errors', 'Sum')]),
  graph('Failed tasks by worker and kind', [failedTasks(table.stack), ownMetric(table, 'TasksFailed')]),
  graph('Duration of functions, p99 (ms)', [lambdaMetric(table.stack, 'Duration', 'p99')]),
  graph('Concurrency of functions', [lambdaMetric(table.stack, 'ConcurrentExecutions', 'Maximum')]),
  ...(stage.alarmEmail === ''
    ? []
    : [
        graph('Subscriptions to alarms: all, and other than email', [
          ownMetric(table, 'AlarmSubscriptions', 'Minimum'),
          ownMetric(table, 'AlarmPagers', 'Minimum'),
        ]),
      ]),
  graph('Capacity units of the table', [
    table.metricConsumedReadCapacityUnits(sum),
    table.metricConsumedWriteCapacityUnits(sum),
  ]),
];

/** Creates the dashboard that shows the health of the stage on one page. */
export const createDashboard = (scope: Construct, watched: MonitoredResources, alarms: readonly Alarm[]): Dashboard =>
  new Dashboard(scope, 'dashboard', {
    dashboardName: Stack.of(scope).stackName,
    widgets: [fallWidgets(watched, alarms), flowWidgets(watched), apiWidgets(watched), engineWidgets(watched)],
  });
