import { describe, expect, test } from 'vitest';
import { retrySeconds } from '#shared/queue/consumer.ts';
import { alarmsOf } from '#test/faults/alarms.ts';
import { type AlarmProperties, type Measured, type Point, startsOf } from '#test/fixtures/alarm-evaluation.ts';
import { mqttDomain, production, stackOf } from '#test/fixtures/stack.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = 1_800_000_000_000;
/** The maximum time (ms) from a cause to the alarm. */
const SOON = 12 * MINUTE;

const alarms = alarmsOf(stackOf({ ...production, mqtt: true, ...mqttDomain }));
const alarm = (id: string): AlarmProperties => {
  const found = alarms.get(id);
  if (!found) throw new Error(`there is no alarm ${id}`);
  return found;
};

/** When (ms) an alarm's causes occur and the run ends. */
type Run = { causes: readonly number[]; end: number };
/** A run's values for each metric whose key contains a given name. */
type Series = (run: Run) => Readonly<Record<string, readonly Point[]>>;

const everyMinute = ({ causes: [first = 0], end }: Run, before = 0): number[] =>
  Array.from({ length: Math.ceil((end - first + before) / MINUTE) }, (_, at) => first - before + at * MINUTE);
const both =
  (...parts: readonly Series[]): Series =>
  (run) =>
    Object.assign({}, ...parts.map((part) => part(run)));

/** Each cause counts once. */
const arrival =
  (metric: string, value = 1): Series =>
  ({ causes }) => ({ [metric]: causes.map((at) => ({ at, value })) });
/** Each cause lasts until the end, such as a message that stays in a queue. */
const lasting =
  (metric: string, value = 1): Series =>
  (run) => ({
    [metric]: everyMinute(run).map((at) => ({ at, value: value * run.causes.filter((cause) => cause <= at).length })),
  });
/** Each cause affects the whole stage and passes after 15 minutes. */
const passing =
  (metric: string, high: number, calm = 0): Series =>
  (run) => ({
    [metric]: everyMinute(run, 10 * MINUTE).map((at) => {
      const isAffected = run.causes.some((cause) => cause <= at && at < cause + 15 * MINUTE);
      return { at, value: isAffected ? high : calm };
    }),
  });
/** A value is reported at an interval (ms), except for a pause after each cause. */
const missing =
  (metric: string, interval: number, pause: number): Series =>
  ({ causes: [first = 0, ...others], end }) => ({
    [metric]: Array.from({ length: Math.ceil((end - first + DAY) / interval) }, (_, at) => first - DAY + at * interval)
      .filter((at) => ![first, ...others].some((cause) => cause <= at && at < cause + pause))
      .map((at) => ({ at, value: 1 })),
  });
/** Each cause is a message that keeps failing when retried. */
const retried =
  (metric: string): Series =>
  ({ causes, end }) => ({
    [metric]: causes.flatMap((cause) => {
      let at = cause;
      return Array.from({ length: 100 }, (_, receives) => {
        const point = { at, value: 1 };
        at += 1_000 * retrySeconds(receives + 1);
        return point;
      }).filter((point) => point.at < end);
    }),
  });

const AGE = 'ApproximateAgeOfOldestMessage';
const VISIBLE = 'ApproximateNumberOfMessagesVisible';

/** How each alarm's cause changes the metrics it affects. */
const seriesOf: Readonly<Record<string, Series>> = {
  'tasks-failing': arrival('TasksFailed'),
  'alarms-untold': arrival('AlarmsUntold'),
  'falls-late': both(arrival('AttemptsLate'), arrival('TimeToFirstAttempt', 40_000)),
  'canary-silent': missing('CanaryTime', 5 * MINUTE, 20 * MINUTE),
  'messages-absent': missing('MessagesAccepted', MINUTE, 20 * MINUTE),
  'device-door-5xx': arrival('5xx', 5),
  'device-door-throttled': passing('Count', 1_000_000),
  'mqtt-turned-away': arrival('Connect.AuthError', 100),
  'mqtt-authorizer': arrival('Errors authorizer', 5),
  'mqtt-waits': passing('AsyncEventAge', 40_000),
  'mqtt-rule': arrival('AWS/IoT Failure'),
  'devices-held-back': arrival('DevicesHeldBack'),
  'messages-not-understood': arrival('SensorsNotUnderstood'),
  'events-old': passing(`${AGE} eventsqueue`, 61),
  'timers-old': passing(`${AGE} timersqueue`, 1_201),
  'deliveries-old': passing(`${AGE} deliveriesqueue`, 61),
  'retries-old': passing(`${AGE} retriesqueue`, 1_801),
  'jobs-old': passing(`${AGE} jobsqueue`, 3_601),
  'mqtt-old': passing(`${AGE} mqttqueue`, 61),
  'undeliverable-old': passing(`${AGE} undeliverablequeue`, 901),
  'waiting-old': both(arrival('TasksOverdue'), lasting('OldestWaiting', 1_000)),
  'events-repeated': passing('NumberOfMessagesReceived', 10),
  'dead-letters': lasting(`${VISIBLE} deliveriesdead`),
  quarantine: both(arrival('NumberOfMessagesSent quarantine'), lasting(`${VISIBLE} quarantine`)),
  'breakers-opened': arrival('BreakersOpened', 10),
  'alarms-failed': arrival('AlarmsFailed'),
  'alarms-unnotified': arrival('AlarmsUnnotified'),
  'alarms-unanswered': arrival('AlarmsUnanswered'),
  'nobody-on-duty': arrival('NobodyOnDuty'),
  'sms-limit-reached': arrival('SmsLimitReached'),
  'webhooks-disabled': arrival('WebhooksDisabled'),
  'feeds-not-fetched': arrival('FeedsNotFetched'),
  'feedback-failed': arrival('FeedbackFailed'),
  'workers-failing': retried('Errors process'),
  'workers-throttled': arrival('Throttles process', 5),
  'sweep-silent': missing('Invocations', MINUTE, 15 * MINUTE),
  concurrency: passing('ClaimedAccountConcurrency', 900),
  'alarms-unheard': missing('AlarmSubscriptions', DAY, 2 * DAY),
  'table-throttled': arrival('WriteThrottleEvents', 10),
  'index-due-throttled': arrival('WriteThrottleEvents', 10),
  'index-list-throttled': arrival('WriteThrottleEvents', 10),
  'api-5xx': arrival('5XXError', 5),
  'console-throttled': arrival('ThrottledConsoleCalls', 50),
  'logins-failed': arrival('LoginsFailed', 500),
  'waf-blocked': arrival('BlockedRequests', 500),
  'mails-bounced': passing('BounceRate', 0.1),
  'mails-failing': arrival('MailsFailed'),
  'letters-failing': arrival('LettersFailed', 3),
  'notifications-undeliverable': arrival('Undeliverable', 3),
};

/** How long (ms) after the first cause the second one follows, which is longer than the alarm period. */
const gaps: Readonly<Record<string, number>> = { 'alarms-unheard': 5 * DAY, 'mails-bounced': 3 * HOUR };
/** The maximum time (ms) from a cause to the alarm, for alarms that need longer than `SOON`. */
const delays: Readonly<Record<string, number>> = {
  'alarms-unheard': DAY + HOUR,
  'messages-absent': 20 * MINUTE,
};

const measuredFrom =
  (points: ReturnType<Series>): Measured =>
  (key) =>
    Object.entries(points).find(([name]) => key.includes(name))?.[1];

/** Returns, for each cause, whether the alarm starts soon after it. */
const noticedBy = (id: string, properties: AlarmProperties): boolean[] => {
  const soon = delays[id] ?? SOON;
  const second = START + (gaps[id] ?? 40 * MINUTE);
  const run = { causes: [START, second], end: second + soon };
  const points = seriesOf[id]?.(run) ?? {};
  const starts = startsOf(properties, START - 5 * MINUTE, run.end, measuredFrom(points));
  return run.causes.map((cause) => starts.some((at) => cause <= at && at <= cause + soon));
};

describe('CloudWatch, which notifies only when an alarm starts,', () => {
  test.each([...alarms.keys()])(
    'sends a notification about the first cause of %s, and another about the second',
    (id) => {
      expect(noticedBy(id, alarm(id))).toEqual([true, true]);
    },
  );

  test('evaluates every alarm in the template', () => {
    expect(Object.keys(seriesOf).toSorted()).toEqual([...alarms.keys()].toSorted());
  });

  test.each([
    ['quarantine', `${VISIBLE} quarantine`, 1],
    ['waiting-old', 'OldestWaiting', 900],
  ])('would miss a second cause if %s measured a level instead of an increase', (id, metric, Threshold) => {
    const { Metrics: _, ExtendedStatistic: __, ...rest } = alarm(id);
    const [MetricName = '', value = ''] = metric.split(' ');
    const level = { ...rest, MetricName, Dimensions: [{ Value: value }], Statistic: 'Maximum', Period: 300, Threshold };
    expect(noticedBy(id, { ...level, EvaluationPeriods: 1 })).toEqual([true, false]);
  });

  const counts = [...alarms].filter(([, { Period, Threshold }]) => Period === 60 && Threshold === 1).map(([id]) => id);
  test('evaluates alarms about a single home, sensor or message every minute', () => {
    expect(counts).toEqual(
      expect.arrayContaining(['alarms-unnotified', 'alarms-failed', 'nobody-on-duty', 'quarantine']),
    );
  });

  test.each(counts)(
    'sends a notification about a cause in one home while another home causes %s every five minutes',
    (id) => {
      const ofOne = Array.from({ length: 12 }, (_, at) => START + 5 * at * MINUTE);
      const ofOther = START + 32.5 * MINUTE;
      const causes = [...ofOne, ofOther].toSorted((one, other) => one - other);
      const series = seriesOf[id]?.({ causes, end: START + HOUR }) ?? {};
      const starts = startsOf(alarm(id), START, START + HOUR, measuredFrom(series));
      expect(starts.filter((at) => at > ofOther && at <= ofOther + 2 * MINUTE)).toHaveLength(1);
    },
  );
});
