import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { WorkQueue } from '#shared/queue/names.ts';
import { workedOn } from '../queues/queues.ts';
import type { Watch, Watched } from '../watch.ts';
import { maximum, ownMetric, period, sum, total } from './metrics.ts';

/** The greatest age (s) of a message in each queue. Retries are delayed by up to 900 s in their queue. */
const OLD: Readonly<Record<WorkQueue, { seconds: number; impact: string }>> = {
  events: { seconds: 60, impact: 'Falls are noticed late: messages of devices wait to be evaluated.' },
  timers: { seconds: 1_200, impact: 'Falls whose sensor sends no further messages change their state late.' },
  deliveries: { seconds: 60, impact: 'Customers are told of falls late: first deliveries to webhooks wait.' },
  mqtt: {
    seconds: 60,
    impact: 'Falls are noticed late: messages that AWS IoT could not pass on wait to be accepted.',
  },
  jobs: { seconds: 3_600, impact: 'Exports and erasures of data that people asked for are late.' },
  retries: { seconds: 1_800, impact: 'Webhooks that failed before are retried later than promised.' },
};

/** The alarm is on while `condition` holds, which CloudWatch computes from metrics. One without data makes no value: FILL. */
const holds = (
  condition: string,
  metrics: Readonly<Record<string, IMetric>>,
): Pick<Watch, 'metric'> & { atLeast: 1 } => ({
  metric: new MathExpression({ expression: `IF(${condition}, 1, 0)`, usingMetrics: metrics, period }),
  atLeast: 1,
});

/** How long the first attempt of a delivery may take, and how old what is due may be, before an alarm fires. */
const FIRST_ATTEMPT_SECONDS = 30;
const WAITING_MINUTES = 15;

/** The share of what the throttle allows from which on it is said to be used up, where nobody counts what it refuses. */
const USED_UP = 0.8;

// The device API was once called a door. Ids of its alarms keep the word, because dashboards of users hold their names.
const throttledDevices = (api: Watched['deviceApi'], { deviceThrottle }: Watched['stage']): Watch => {
  const id = 'device-door-throttled';
  return api.throttled
    ? {
        id,
        metric: api.throttled.with(sum),
        atLeast: 10,
        impact:
          'Devices are refused because all of them together call more often than deviceThrottle allows, so falls are noticed late.',
      }
    : {
        id,
        metric: api.metricCount(sum),
        atLeast: Math.ceil(USED_UP * deviceThrottle.rate * period.toSeconds()),
        impact:
          'All devices together call nearly as often as deviceThrottle allows: above it they are refused, so falls are noticed late.',
      };
};

export const ofFalls = ({ table, deviceApi, stage }: Watched): Watch[] => [
  {
    id: 'tasks-failing',
    metric: ownMetric(table, 'TasksFailed'),
    atLeast: 1,
    impact: 'A task of a fall failed, so somebody is told late: it is tried again.',
  },
  {
    id: 'alarms-untold',
    ...holds('FILL(due, 0) > 0 AND FILL(tried, 0) == 0', {
      due: ownMetric(table, 'AlarmsToTell'),
      tried: ownMetric(table, 'TimeToFirstAttempt', 'SampleCount'),
    }),
    impact: `Rules were hit, and for ${period.toMinutes()} minutes nobody was notified: no delivery is attempted.`,
  },
  {
    id: 'falls-late',
    metric: ownMetric(table, 'TimeToFirstAttempt', 'p99'),
    above: 1_000 * FIRST_ATTEMPT_SECONDS,
    impact: `Customers are notified of falls late: more than ${FIRST_ATTEMPT_SECONDS} s pass from a message to its first delivery attempt.`,
  },
  ...(stage.canary
    ? [
        {
          id: 'canary-silent',
          // Two of its rounds.
          metric: ownMetric(table, 'CanaryTime', 'SampleCount').with({ period: Duration.minutes(10) }),
          below: 1,
          impact: 'The falls of the canary do not come back: most likely nobody is told of real falls either.',
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
          impact: 'No device sends messages: no fall is noticed at all, and nobody is told so.',
        },
      ]),
  {
    id: 'device-door-5xx',
    metric: deviceApi.metricServerError(sum),
    atLeast: 5,
    impact: 'Devices get errors of the service, so falls are noticed late: devices retry.',
  },
  throttledDevices(deviceApi, stage),
];

export const ofQueues = ({ queues, table }: Watched): Watch[] => [
  {
    id: 'devices-held-back',
    metric: ownMetric(table, 'DevicesHeldBack'),
    atLeast: 1,
    impact:
      'A device calls more often than its messages are processed: its reports are refused, and its falls come late.',
  },
  ...workedOn(queues).map(([name, queue]) => ({
    id: `${name}-old`,
    metric: queue.metricApproximateAgeOfOldestMessage(maximum),
    above: OLD[name].seconds,
    impact: OLD[name].impact,
  })),
  {
    id: 'waiting-old',
    metric: ownMetric(table, 'OldestWaiting', 'Minimum'),
    above: WAITING_MINUTES * 60,
    impact: `Tasks that were due ${WAITING_MINUTES} minutes ago are not done: offline sensors are not noticed, long retries are late.`,
  },
  {
    id: 'events-repeated',
    ...holds('FILL(received, 0) - FILL(deleted, 0) > 5 AND FILL(deleted, 0) < 0.8 * FILL(received, 0)', {
      received: queues.events.metricNumberOfMessagesReceived(sum),
      deleted: queues.events.metricNumberOfMessagesDeleted(sum),
    }),
    impact: 'Messages of devices are received and not done, so falls are noticed late, whatever the function says.',
  },
  {
    id: 'dead-letters',
    metric: total(workedOn(queues).map(([, { dead }]) => dead.metricApproximateNumberOfMessagesVisible(maximum))),
    atLeast: 1,
    impact: 'A task failed at every attempt: somebody may not have been told of a fall.',
  },
  {
    id: 'quarantine',
    metric: queues.quarantine.metricApproximateNumberOfMessagesVisible(maximum),
    atLeast: 1,
    impact: 'An unreadable message was put in quarantine, which only a bug can cause: it may be a fall.',
  },
];

export const ofReceivers = ({ table, stage }: Watched): Watch[] => [
  {
    id: 'breakers-opened',
    metric: ownMetric(table, 'BreakersOpened'),
    atLeast: 10,
    impact:
      'Many receivers fail at the same time, so people are not told of falls: most likely outgoing connections are broken.',
  },
  {
    id: 'alarms-failed',
    metric: ownMetric(table, 'AlarmsFailed'),
    atLeast: 1,
    impact: 'A fall was told to a receiver at every attempt in vain: a customer was not told of it by that receiver.',
  },
  {
    id: 'nobody-on-duty',
    metric: ownMetric(table, 'NobodyOnDuty'),
    atLeast: 1,
    impact: 'A rule was hit that tells whoever is on duty, and nobody was: nobody was told of it by that.',
  },
  {
    id: 'sms-limit-reached',
    metric: ownMetric(table, 'SmsLimitReached'),
    atLeast: 1,
    impact: 'A customer has used up its SMS of the day, so the people who are told by SMS are told of nothing.',
  },
  {
    id: 'webhooks-disabled',
    metric: ownMetric(table, 'WebhooksDisabled'),
    atLeast: 1,
    impact: 'A webhook was switched off because of what its receiver answers: its customer is told of nothing by it.',
  },
  {
    id: 'feeds-not-fetched',
    metric: ownMetric(table, 'FeedsNotFetched'),
    atLeast: 1,
    impact: 'Nobody fetches the messages of a webhook any more: its customer is not notified by it.',
  },
  ...(stage.makerAFeedbackUrl === ''
    ? []
    : [
        {
          id: 'feedback-failed',
          metric: ownMetric(table, 'FeedbackFailed'),
          atLeast: 1,
          impact: 'Feedback of a user did not reach the maker, at every attempt: the maker does not learn from it.',
        },
      ]),
];
