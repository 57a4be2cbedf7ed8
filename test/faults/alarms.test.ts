import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AlarmProperties, isInAlarm, type Measured } from '../fixtures/alarm-evaluation.ts';
import { mqttDomain, production, stackOf } from '../fixtures/stack.ts';
import { alarmsOf } from './alarms.ts';
import { faults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { openNearTable } from './tables.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

const NOW = 1_800_000_000_000;
const alarms = alarmsOf(stackOf({ ...production, mqtt: true, ...mqttDomain }));
const alarm = (id: string): AlarmProperties => {
  const found = alarms.get(id);
  if (!found) throw new Error(`there is no alarm ${id}`);
  return found;
};
/**
 * Returns a metric lookup with these values, measured `ago` ms ago. A value applies if the metric key contains its
 * name.
 */
const having =
  (values: Readonly<Record<string, number>>, ago = 60_000): Measured =>
  (key) =>
    Object.entries(values)
      .filter(([name]) => key.includes(name))
      .map(([, value]) => ({ at: NOW - ago, value }));

type MetricValues = Readonly<Record<string, number>>;
type Threshold = readonly [breaching: MetricValues, ok: MetricValues];
const from = (metric: string, bound: number): Threshold => [{ [metric]: bound }, { [metric]: bound - 1 }];
const above = (metric: string, bound: number): Threshold => [{ [metric]: bound + 1 }, { [metric]: bound }];
const VISIBLE = 'ApproximateNumberOfMessagesVisible';
const AGE = 'ApproximateAgeOfOldestMessage';

/** Values just high enough to fire each alarm, and values just too low. */
const bounds: Readonly<Record<string, readonly Threshold[]>> = {
  'tasks-failing': [from('TasksFailed', 1)],
  'alarms-untold': [from('AlarmsUntold', 1)],
  'falls-late': [from('AttemptsLate', 1)],
  'device-door-5xx': [from('5xx', 5)],
  'device-door-throttled': [from('Count', 0.8 * production.deviceThrottle.rate * 300)],
  'mqtt-turned-away': [from('Connect.AuthError', 100), from('PublishIn.Throttle', 100)],
  'mqtt-authorizer': [from('Errors', 5), from('Throttles', 5)],
  'mqtt-waits': [above('AsyncEventAge', 30_000)],
  'mqtt-rule': [from('AWS/IoT Failure', 1), from('ErrorActionFailure', 1)],
  'devices-held-back': [from('DevicesHeldBack', 1)],
  'messages-not-understood': [from('SensorsNotUnderstood', 1)],
  'events-old': [above(AGE, 60)],
  'timers-old': [above(AGE, 1_200)],
  'undeliverable-old': [above(AGE, 900)],
  'notifications-undeliverable': [from('Undeliverable', 3)],
  'deliveries-old': [above(AGE, 60)],
  'retries-old': [above(AGE, 1_800)],
  'jobs-old': [above(AGE, 3_600)],
  'mqtt-old': [above(AGE, 60)],
  'waiting-old': [from('TasksOverdue', 1)],
  'events-repeated': [
    [
      { NumberOfMessagesReceived: 10, NumberOfMessagesDeleted: 2 },
      { NumberOfMessagesReceived: 100, NumberOfMessagesDeleted: 95 },
    ],
    // SQS may omit a metric without values.
    [{ NumberOfMessagesReceived: 10 }, { NumberOfMessagesReceived: 5 }],
  ],
  'dead-letters': [from(`${VISIBLE} eventsdead`, 1), from(`${VISIBLE} deliveriesdead`, 1)],
  quarantine: [from('NumberOfMessagesSent', 1)],
  'breakers-opened': [from('BreakersOpened', 10)],
  'alarms-failed': [from('AlarmsFailed', 1)],
  'alarms-unnotified': [from('AlarmsUnnotified', 1)],
  'alarms-unanswered': [from('AlarmsUnanswered', 1)],
  'nobody-on-duty': [from('NobodyOnDuty', 1)],
  'sms-limit-reached': [from('SmsLimitReached', 1)],
  'webhooks-disabled': [from('WebhooksDisabled', 1)],
  'feeds-not-fetched': [from('FeedsNotFetched', 1)],
  'feedback-failed': [from('FeedbackFailed', 1)],
  'workers-failing': ['process', 'deliver', 'ingest', 'sweep', 'canaryround', 'watchchanges'].map((name) =>
    from(`Errors ${name}`, 1),
  ),
  'workers-throttled': [from('Throttles process', 5)],
  concurrency: [above('ClaimedAccountConcurrency', 800)],
  'table-throttled': [from('WriteThrottleEvents', 10)],
  'index-due-throttled': [from('WriteThrottleEvents', 10)],
  'index-list-throttled': [from('ReadThrottleEvents', 10)],
  'api-5xx': [from('5XXError', 5)],
  'console-throttled': [from('ThrottledConsoleCalls', 50)],
  'logins-failed': [from('LoginsFailed', 500)],
  'waf-blocked': [from('BlockedRequests', 500)],
  'mails-bounced': [above('BounceRate', 0.05)],
  'mails-failing': [from('MailsFailed', 1)],
  'letters-failing': [from('LettersFailed', 3)],
};
/** Alarms on missing data, each with a metric, a minimum, and the minutes within which it must be reached. */
const expected: Readonly<Record<string, readonly [string, number, number]>> = {
  'canary-silent': ['CanaryTime', 1, 10],
  'messages-absent': ['MessagesAccepted', 1, 15],
  // The sweep runs five times in five minutes.
  'sweep-silent': ['Invocations', 3, 5],
  'alarms-unheard': ['AlarmSubscriptions', 1, 24 * 60],
};

describe("the template's alarms, evaluated the way CloudWatch does", () => {
  test('only missing-data alarms fire when there is no data', () => {
    const on = [...alarms].filter(([, alarm]) => isInAlarm(alarm, NOW, () => undefined)).map(([id]) => id);
    expect(on.toSorted()).toEqual(['alarms-unheard', 'canary-silent', 'messages-absent', 'sweep-silent']);
    // Control: incorrect treatment of missing data is noticed.
    expect(isInAlarm({ ...alarm('sweep-silent'), TreatMissingData: 'notBreaching' }, NOW, () => undefined)).toBe(false);
  });

  test.each(Object.entries(bounds).flatMap(([id, cases]) => cases.map((pair) => [id, ...pair] as const)))(
    '%s fires at the threshold, but not below it',
    (id, breaching, ok) => {
      expect(isInAlarm(alarm(id), NOW, having(breaching))).toBe(true);
      expect(isInAlarm(alarm(id), NOW, having(ok))).toBe(false);
      // Values older than the period do not count.
      expect(isInAlarm(alarm(id), NOW + 3_660_000, having(breaching))).toBe(false);
    },
  );

  test.each(Object.entries(expected))('%s fires if its metric is too low or too old', (id, [metric, min, minutes]) => {
    const isOnAt = (value: number, ago?: number) => isInAlarm(alarm(id), NOW, having({ [metric]: value }, ago));
    expect([isOnAt(min), isOnAt(min, minutes * 60_000)]).toEqual([false, false]);
    expect(isOnAt(min, minutes * 60_000 + 1)).toBe(true);
    if (min > 1) expect(isOnAt(min - 1)).toBe(true);
  });

  test('every alarm has a threshold test', () => {
    expect([...Object.keys(bounds), ...Object.keys(expected)].toSorted()).toEqual([...alarms.keys()].toSorted());
  });
});

describe('a fall undelivered for two minutes', () => {
  let world: FaultWorld;
  beforeAll(async () => {
    world = await createFaultWorld(openNearTable);
  });
  afterAll(() => world.stop());
  const fault = faults.find(({ title }) => title.startsWith('the keys of secrets are unavailable'));

  test('the tasks-failing and alarms-untold alarms fire if the secrets key is unavailable', async () => {
    if (!fault) throw new Error('there is no such fault');
    const { lost, unnoticed, fired } = await runFault(world, fault, 1);
    expect({ lost, unnoticed }).toEqual({ lost: [], unnoticed: [] });
    expect(fired).toEqual(expect.arrayContaining(['tasks-failing', 'alarms-untold']));
  });

  test('fails a run if no alarm fires', async () => {
    if (!fault) throw new Error('there is no such fault');
    // Control: a stage with only one alarm left.
    const kept = [...world.watch.alarms];
    world.watch.alarms.clear();
    for (const [id, alarm] of kept) if (id === 'quarantine') world.watch.alarms.set(id, alarm);
    const { unnoticed } = await runFault(world, fault, 2);
    expect(unnoticed.length).toBeGreaterThan(0);
    for (const [id, alarm] of kept) world.watch.alarms.set(id, alarm);
  });
});
