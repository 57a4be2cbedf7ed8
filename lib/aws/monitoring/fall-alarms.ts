import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { FIRST_ATTEMPT_SECONDS, OVERDUE_MINUTES } from '#shared/observability/metrics.ts';
import type { WorkQueue } from '#shared/queue/names.ts';
import type { AlarmDefinition, MonitoredResources } from '../alarm-definition.ts';
import { taskQueues } from '../queues/queues.ts';
import { arrivals, growing, maximum, minute, ownMetric, period, sum, total } from './metrics.ts';

/** The maximum message age (s) in each queue. Retries wait in their queue for up to 900 s. */
const MAX_AGES: Readonly<Record<WorkQueue, { seconds: number; impact: string }>> = {
  events: {
    seconds: 60,
    impact: 'Device messages have been queued for more than a minute, so falls are detected late.',
  },
  timers: {
    seconds: 1_200,
    impact: 'Timers are late, so after a sensor stops reporting, the fall state changes late.',
  },
  deliveries: {
    seconds: 60,
    impact: 'First deliveries have been queued for more than a minute, so people are notified late.',
  },
  mqtt: {
    seconds: 60,
    impact:
      'Messages that AWS IoT could not hand over have been queued for more than a minute, so falls are detected late.',
  },
  undeliverable: {
    seconds: 900,
    impact:
      'Reports about undeliverable messages have been queued for 15 minutes, so those deliveries still count as ' +
      'delivered.',
  },
  jobs: {
    seconds: 3_600,
    impact: 'Personal data exports and erasures are more than an hour late. Alarms are not affected.',
  },
  retries: {
    seconds: 1_800,
    impact: 'Retries start late, so people whose first delivery failed are notified even later.',
  },
};

/** An alarm that fires while `condition` is true. A metric without data yields no value, so conditions need FILL. */
const whileTrue = (
  condition: string,
  metrics: Readonly<Record<string, IMetric>>,
): Pick<AlarmDefinition, 'metric'> & { atLeast: 1 } => ({
  metric: new MathExpression({ expression: `IF(${condition}, 1, 0)`, usingMetrics: metrics, period }),
  atLeast: 1,
});

/** The share of the throttle at which the alarm fires in a stage that does not count rejected requests. */
const NEAR_LIMIT = 0.8;

// The ids keep an old name for the device API, because alarm names are used outside this repository.
const throttledDevices = (
  api: MonitoredResources['deviceApi'],
  { deviceThrottle }: MonitoredResources['stage'],
): AlarmDefinition => {
  const id = 'device-door-throttled';
  return api.throttled
    ? {
        id,
        metric: api.throttled.with(sum),
        atLeast: 10,
        impact:
          'Together, devices send more requests than deviceThrottle allows, and some are rejected, so falls are ' +
          'detected late.',
      }
    : {
        id,
        metric: api.metricCount(sum),
        atLeast: Math.ceil(NEAR_LIMIT * deviceThrottle.rate * period.toSeconds()),
        impact:
          'Together, all devices are close to deviceThrottle. Above it, requests are rejected, and falls are detected ' +
          'late.',
      };
};

/** Returns the alarms for falls on their way from the device to the first delivery attempt. */
export const fallAlarms = ({ table, deviceApi, deviceBalancer, stage }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'tasks-failing',
    metric: arrivals(table, 'TasksFailed'),
    atLeast: 1,
    impact: 'A background task failed. It is retried, so someone may be notified of a fall late.',
  },
  {
    id: 'alarms-untold',
    metric: arrivals(table, 'AlarmsUntold'),
    atLeast: 1,
    impact: 'A rule fired, but none of the deliveries was attempted in time: nobody is being notified of falls.',
  },
  {
    id: 'falls-late',
    metric: arrivals(table, 'AttemptsLate'),
    atLeast: 1,
    impact: `A delivery started more than ${FIRST_ATTEMPT_SECONDS} s after the device reported the fall, so help comes late.`,
  },
  ...(stage.canary
    ? [
        {
          id: 'canary-silent',
          // Two canary rounds.
          metric: ownMetric(table, 'CanaryTime', 'SampleCount').with({ period: Duration.minutes(10) }),
          below: 1,
          impact: 'Canary falls are not reaching the webhook, so real falls probably reach nobody either.',
        },
      ]
    : []),
  ...(stage.silenceMinutes === 0
    ? []
    : [
        {
          id: 'messages-absent',
          metric: ownMetric(table, 'MessagesAccepted').with({ period: Duration.minutes(stage.silenceMinutes) }),
          below: 1,
          impact: 'No messages are arriving from any device: falls are not being detected, and nobody on site knows.',
        },
      ]),
  {
    id: 'device-door-5xx',
    metric: deviceBalancer
      ? total([deviceApi.metricServerError(sum), ...deviceBalancer.serverErrors(sum)])
      : deviceApi.metricServerError(sum),
    atLeast: 5,
    impact: 'The device API is failing. Devices retry, so falls are detected late.',
  },
  throttledDevices(deviceApi, stage),
];

/** Returns the alarms for queues and pending tasks. */
export const queueAlarms = ({ queues, table }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'devices-held-back',
    metric: arrivals(table, 'DevicesHeldBack'),
    atLeast: 1,
    impact:
      'A device has too many pending requests, so new reports are rejected and falls in that room may be detected ' +
      'late.',
  },
  {
    id: 'messages-not-understood',
    metric: arrivals(table, 'SensorsNotUnderstood'),
    atLeast: 1,
    impact:
      'Most messages from one more sensor are no longer understood, so falls in that room may go unnoticed. After a ' +
      'firmware update, the whole fleet may follow.',
  },
  ...taskQueues(queues).map(([name, queue]) => ({
    id: `${name}-old`,
    metric: queue.metricApproximateAgeOfOldestMessage(maximum),
    above: MAX_AGES[name].seconds,
    impact: MAX_AGES[name].impact,
  })),
  {
    id: 'waiting-old',
    metric: arrivals(table, 'TasksOverdue'),
    atLeast: 1,
    impact: `Due tasks are more than ${OVERDUE_MINUTES} minutes late: offline sensors go unnoticed, and retries with long delays are late.`,
  },
  {
    id: 'events-repeated',
    ...whileTrue('FILL(received, 0) - FILL(deleted, 0) > 5 AND FILL(deleted, 0) < 0.8 * FILL(received, 0)', {
      received: queues.events.metricNumberOfMessagesReceived(sum),
      deleted: queues.events.metricNumberOfMessagesDeleted(sum),
    }),
    impact: 'Device messages are received repeatedly without being fully processed, so falls are detected late.',
  },
  {
    id: 'dead-letters',
    metric: growing(taskQueues(queues).map(([, { deadLetters }]) => deadLetters)),
    atLeast: 1,
    // SQS may report a minute late.
    withinPeriods: 5,
    impact: 'A task failed at every attempt: someone may not have been notified of a fall.',
  },
  {
    id: 'quarantine',
    metric: queues.quarantine.metricNumberOfMessagesSent({ ...sum, period: minute }),
    atLeast: 1,
    impact:
      'A task was quarantined because it cannot be read or keeps failing while others succeed. It may report a fall.',
  },
];

/** Returns the alarms for deliveries that do not reach their recipients. */
export const receiverAlarms = ({ table, stage }: MonitoredResources): AlarmDefinition[] => [
  {
    id: 'breakers-opened',
    metric: ownMetric(table, 'BreakersOpened'),
    atLeast: 10,
    impact:
      'Many receivers started to fail at once, so people are not notified of falls. Most likely, outgoing ' +
      'connections are broken.',
  },
  {
    id: 'alarms-failed',
    metric: arrivals(table, 'AlarmsFailed'),
    atLeast: 1,
    impact: 'A fall could not be delivered to one recipient, a webhook or a person, despite all attempts.',
  },
  {
    id: 'alarms-unnotified',
    metric: arrivals(table, 'AlarmsUnnotified'),
    atLeast: 1,
    impact:
      'Nobody was notified of a fall, a vital alarm or an offline sensor in time, and nobody acknowledged the alarm.',
  },
  {
    id: 'alarms-unanswered',
    metric: arrivals(table, 'AlarmsUnanswered'),
    atLeast: 1,
    impact: 'All steps and repeats for an alarm were sent, but nobody acknowledged it.',
  },
  {
    id: 'nobody-on-duty',
    metric: arrivals(table, 'NobodyOnDuty'),
    atLeast: 1,
    impact: 'A rule notifies the users on duty, but nobody was on duty when it fired.',
  },
  {
    id: 'sms-limit-reached',
    metric: arrivals(table, 'SmsLimitReached'),
    atLeast: 1,
    impact: "A customer used up the day's SMS quota, so people who rely on SMS are not notified.",
  },
  {
    id: 'webhooks-disabled',
    metric: arrivals(table, 'WebhooksDisabled'),
    atLeast: 1,
    impact: "A webhook was disabled because of the receiver's responses, so the customer gets nothing through it.",
  },
  {
    id: 'feeds-not-fetched',
    metric: arrivals(table, 'FeedsNotFetched'),
    atLeast: 1,
    impact: "Nobody fetches a webhook's deliveries anymore, so the customer gets nothing through it.",
  },
  ...(stage.makerAFeedbackUrl === ''
    ? []
    : [
        {
          id: 'feedback-failed',
          metric: arrivals(table, 'FeedbackFailed'),
          atLeast: 1,
          impact: 'User feedback did not reach the maker despite all attempts. Residents are not affected.',
        },
      ]),
];
