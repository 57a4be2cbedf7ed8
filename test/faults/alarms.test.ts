import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AlarmProperties, isOn, type Measured } from '../fixtures/alarm-evaluation.ts';
import { production, stackOf } from '../fixtures/stack.ts';
import { alarmsOf } from './alarms.ts';
import { faults } from './faults.ts';
import { runFault } from './run-fault.ts';
import { createFaultWorld, type FaultWorld } from './world.ts';

const NOW = 1_800_000_000_000;
const alarms = alarmsOf(stackOf({ ...production, mqtt: true }));
const alarm = (id: string): AlarmProperties => {
  const found = alarms.get(id);
  if (!found) throw new Error(`there is no alarm ${id}`);
  return found;
};
/** One value, a minute ago, of each metric whose key has one of these names and dimensions in it. */
const having =
  (values: Readonly<Record<string, number>>, ago = 60_000): Measured =>
  (key) =>
    Object.entries(values)
      .filter(([name]) => key.includes(name))
      .map(([, value]) => ({ at: NOW - ago, value }));

type Values = Readonly<Record<string, number>>;
const from = (metric: string, bound: number): [Values, Values] => [{ [metric]: bound }, { [metric]: bound - 1 }];
const above = (metric: string, bound: number): [Values, Values] => [{ [metric]: bound + 1 }, { [metric]: bound }];
const VISIBLE = 'ApproximateNumberOfMessagesVisible';
const AGE = 'ApproximateAgeOfOldestMessage';

/** What just rings each alarm, and what just does not. */
const bounds: Readonly<Record<string, readonly [Values, Values][]>> = {
  'tasks-failing': [from('TasksFailed', 1)],
  'alarms-untold': [[{ AlarmsToTell: 1 }, { AlarmsToTell: 1, TimeToFirstAttempt: 40 }]],
  'falls-late': [above('TimeToFirstAttempt', 30_000)],
  'device-door-5xx': [from('5xx', 5)],
  'device-door-throttled': [from('Count', 0.8 * production.deviceThrottle.rate * 300)],
  'mqtt-turned-away': [from('Connect.AuthError', 100), from('PublishIn.Throttle', 100)],
  'mqtt-authorizer': [from('Errors', 5), from('Throttles', 5)],
  'mqtt-waits': [above('AsyncEventAge', 30_000)],
  'mqtt-rule': [from('AWS/IoT Failure', 1), from('ErrorActionFailure', 1)],
  'devices-held-back': [from('DevicesHeldBack', 1)],
  'events-old': [above(AGE, 60)],
  'timers-old': [above(AGE, 1_200)],
  'deliveries-old': [above(AGE, 60)],
  'retries-old': [above(AGE, 1_800)],
  'jobs-old': [above(AGE, 3_600)],
  'mqtt-old': [above(AGE, 60)],
  'waiting-old': [above('OldestWaiting', 900)],
  'events-repeated': [
    [
      { NumberOfMessagesReceived: 10, NumberOfMessagesDeleted: 2 },
      { NumberOfMessagesReceived: 100, NumberOfMessagesDeleted: 95 },
    ],
    // SQS need not measure what did not happen.
    [{ NumberOfMessagesReceived: 10 }, { NumberOfMessagesReceived: 5 }],
  ],
  'dead-letters': [from(`${VISIBLE} eventsdead`, 1), from(`${VISIBLE} deliveriesdead`, 1)],
  quarantine: [from(VISIBLE, 1)],
  'breakers-opened': [from('BreakersOpened', 10)],
  'alarms-failed': [from('AlarmsFailed', 1)],
  'nobody-on-duty': [from('NobodyOnDuty', 1)],
  'sms-limit-reached': [from('SmsLimitReached', 1)],
  'webhooks-disabled': [from('WebhooksDisabled', 1)],
  'feeds-not-fetched': [from('FeedsNotFetched', 1)],
  'feedback-failed': [from('FeedbackFailed', 1)],
  'workers-failing': ['process', 'deliver', 'ingest', 'sweep', 'canaryround'].map((name) => from(`Errors ${name}`, 1)),
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
/** What must come all the time: a metric, how much of it, and within how many minutes. */
const expected: Readonly<Record<string, readonly [string, number, number]>> = {
  'canary-silent': ['CanaryTime', 1, 10],
  'messages-absent': ['MessagesAccepted', 1, 15],
  // It runs five times in five minutes.
  'sweep-silent': ['Invocations', 3, 5],
  'alarms-unheard': ['AlarmSubscriptions', 1, 24 * 60],
};

describe('the alarms of the template, evaluated as CloudWatch does', () => {
  test('are on without any data where something must happen all the time, and nowhere else', () => {
    const on = [...alarms].filter(([, alarm]) => isOn(alarm, NOW, () => undefined)).map(([id]) => id);
    expect(on.toSorted()).toEqual(['alarms-unheard', 'canary-silent', 'messages-absent', 'sweep-silent']);
    // Planted: the wrong treatment of missing data is seen.
    expect(isOn({ ...alarm('sweep-silent'), TreatMissingData: 'notBreaching' }, NOW, () => undefined)).toBe(false);
  });

  test.each(Object.entries(bounds).flatMap(([id, cases]) => cases.map((pair) => [id, ...pair] as const)))(
    '%s rings where it must, and not otherwise',
    (id, ringing, well) => {
      expect(isOn(alarm(id), NOW, having(ringing))).toBe(true);
      expect(isOn(alarm(id), NOW, having(well))).toBe(false);
      // What is older than the period does not count.
      expect(isOn(alarm(id), NOW + 3_660_000, having(ringing))).toBe(false);
    },
  );

  test.each(Object.entries(expected))('%s rings when less came than must', (id, [metric, least, minutes]) => {
    const came = (value: number, ago?: number) => isOn(alarm(id), NOW, having({ [metric]: value }, ago));
    expect([came(least), came(least, minutes * 60_000)]).toEqual([false, false]);
    expect(came(least, minutes * 60_000 + 1)).toBe(true);
    if (least > 1) expect(came(least - 1)).toBe(true);
  });

  test('have each a bound that is tested', () => {
    expect([...Object.keys(bounds), ...Object.keys(expected)].toSorted()).toEqual([...alarms.keys()].toSorted());
  });
});

describe('an alarm that is not told for two minutes', () => {
  let world: FaultWorld;
  beforeAll(async () => {
    world = await createFaultWorld();
  });
  afterAll(() => world.stop());
  const fault = faults.find(({ title }) => title.startsWith('the keys of secrets are away'));

  test('is heard of twice: by the failed tasks, and by the hits that nobody is told of', async () => {
    if (!fault) throw new Error('there is no such fault');
    const { lost, silent, rang } = await runFault(world, fault, 1);
    expect({ lost, silent }).toEqual({ lost: [], silent: [] });
    expect(rang).toEqual(expect.arrayContaining(['tasks-failing', 'alarms-untold']));
  });

  test('and of which no alarm rings is a failed run', async () => {
    if (!fault) throw new Error('there is no such fault');
    // Planted: a stage that has lost its alarms but one.
    const kept = [...world.watch.alarms];
    world.watch.alarms.clear();
    for (const [id, alarm] of kept) if (id === 'quarantine') world.watch.alarms.set(id, alarm);
    const { silent } = await runFault(world, fault, 2);
    expect(silent.length).toBeGreaterThan(0);
    for (const [id, alarm] of kept) world.watch.alarms.set(id, alarm);
  });
});
