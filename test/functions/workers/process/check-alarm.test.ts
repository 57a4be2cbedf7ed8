import { describe, expect, test } from 'vitest';
import { checkAlarm, hurryEscalation } from '#functions/workers/process/check-alarm.ts';
import type { CheckAlarm } from '#shared/queue/task.ts';
import { alarmStubs, contacts, customerId, MADE, type Stored, sensorId, some } from '#test/fixtures/alarm-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

const webhookId = 'webhook-1';
const eventUuid = 'event-1';
/** The check for an alarm with two rules and two customer webhooks. */
const check = (more: Partial<CheckAlarm> = {}): CheckAlarm => ({
  type: 'check_alarm',
  customerId,
  sensorId,
  eventUuid,
  situation: 'fall_detected',
  createDate: MADE,
  at: NOW,
  hitIds: [11, 12],
  ofEvent: [
    { webhookId, deliveryId: 'd1' },
    { webhookId: 'webhook-2', deliveryId: 'd2' },
  ],
  ...more,
});
const hitOf = (id: number, more: object = {}) => ({
  id,
  ruleId: id + 100,
  createDate: MADE + 1,
  messages: [],
  ...more,
});
const hits = { 11: hitOf(11), 12: hitOf(12) };
/** Checks an alarm with these items in the store. */
const run = async (stored: Stored, more: Partial<CheckAlarm> = {}) => {
  const stubs = alarmStubs(stored);
  await checkAlarm(stubs.deps, check(more));
  return { ...stubs, alarmIds: stubs.recorded.map(([{ alarmId }]) => alarmId) };
};
const common = { customerId, sensorId, situation: 'fall_detected', eventUuid, date: NOW };

describe('unnotified alarms', () => {
  test('an unnotified alarm is recorded for the event and each hit', async () => {
    const trace = { uuid: '00000000-0000-4000-8000-000000000001', requestId: 'call-1' };
    const { recorded, enqueued, measured, finished, places, logged } = await run({ hits }, trace);
    const ofHit = (id: number) => ({
      ...common,
      alarmId: String(id),
      hitId: id,
      ruleId: id + 100,
      webhookIds: [],
      createDate: MADE + 1,
    });
    const ofEvent = {
      ...common,
      alarmId: eventUuid,
      hitId: null,
      ruleId: null,
      webhookIds: [webhookId, 'webhook-2'],
      createDate: MADE,
    };
    const alarms = [ofEvent, ofHit(11), ofHit(12)];
    expect(recorded).toEqual(alarms.map((alarm) => [alarm, []]));
    const noticeOf = ({ alarmId }: { alarmId: string }) => ({
      type: 'process_notice',
      customerId,
      sensorId,
      uuid: `notice of ${alarmId}`,
      receiveDate: NOW - 1,
    });
    expect(enqueued).toEqual([
      ...alarms.map((alarm) => [[noticeOf(alarm)], 0]),
      [[{ type: 'alert_managers', customerId, ...trace }], 0],
    ]);
    expect(measured).toEqual(alarms.map(() => ['AlarmsUnnotified']));
    // Alarms are finished with the recorded date, which may be from before a crash.
    expect(finished).toEqual(alarms.map((alarm) => ({ ...alarm, date: NOW - 1 })));
    expect(places).toEqual(alarms.map(() => 'alarm.recorded'));
    expect(logged).toEqual(
      alarms.map(({ alarmId }) => [
        'warn',
        'nobody was notified of an alarm',
        { customerId, sensorId, alarmId, situation: 'fall_detected' },
      ]),
    );
  });

  test("an unnotified alarm's record states whether a bot webhook was a recipient", async () => {
    const messages = [
      { publisher: 'sms', step: 0 },
      { publisher: 'webhook', step: 1 },
    ];
    const { recorded } = await run({
      hits: { 11: hitOf(11, { messages }), 12: hitOf(12, { messages: [messages[0]] }) },
    });
    expect(recorded.map(([{ isToBots }]) => isToBots)).toEqual([undefined, true, undefined]);
  });

  test("an unnotified alarm's record names the fall", async () => {
    const { recorded } = await run({ hits }, { fall: 'a-fall' });
    expect(recorded.map(([{ fall }]) => fall)).toEqual(['a-fall', 'a-fall', 'a-fall']);
    expect((await run({ hits })).recorded.some(([alarm]) => 'fall' in alarm)).toBe(false);
  });

  test('unnotified sensor alarms are emailed together', async () => {
    const { enqueued } = await run({ hits }, { situation: 'sensor_inactive' });
    expect(enqueued.at(-1)).toEqual([[{ type: 'alert_managers', customerId }], 8]);
  });

  test('an unnotified alarm is recorded only for existing hits and webhooks', async () => {
    expect((await run({ hits }, { ofEvent: [] })).alarmIds).toEqual(['11', '12']);
    expect((await run({ hits: { 12: hitOf(12) } })).alarmIds).toEqual([eventUuid, '12']);
  });

  test('an unnotified alarm is emailed only if a record is new', async () => {
    const handled = { kind: 'handled' };
    const one = await run({ hits, results: [{ kind: 'ended' }, handled] });
    expect(one.finished.map(({ alarmId }) => alarmId)).toEqual(['12']);
    expect(one.measured).toEqual([['AlarmsUnnotified']]);
    expect(one.enqueued.map(([tasks]) => tasks[0]?.type)).toEqual(['process_notice', 'alert_managers']);
    const none = await run({ hits, results: [handled, handled, handled] });
    expect([none.finished, none.measured, none.enqueued]).toEqual([[], [], []]);
  });
});

test('an alarm counts as notified once any customer webhook has received it', async () => {
  const delivered = { state: 'delivered' };
  expect((await run({ hits, deliveries: { d2: delivered } })).alarmIds).toEqual(['11', '12']);
  expect((await run({ hits, deliveries: { d1: { state: 'failed' }, d2: { state: 'retrying' } } })).alarmIds).toEqual([
    eventUuid,
    '11',
    '12',
  ]);
});

test('each hit of an alarm is checked separately', async () => {
  const notified = { ...hits, 11: hitOf(11, { notifiedDate: NOW - 1 }) };
  expect((await run({ hits: notified })).alarmIds).toEqual([eventUuid, '12']);
});

test('an alarm is over for all hits once any of them is acknowledged', async () => {
  const acknowledged = { ...hits, 12: hitOf(12, { acknowledgement: { name: 'Anna' } }) };
  const { recorded, enqueued, read } = await run({ hits: acknowledged });
  expect([recorded, enqueued]).toEqual([[], []]);
  expect(read).toEqual([`hit ${customerId} 11`, `hit ${customerId} 12`]);
});

test('an alarm check changes nothing if every hit has reached someone', async () => {
  const notified = { 11: hitOf(11, { notifiedDate: 1 }), 12: hitOf(12, { notifiedDate: 1 }) };
  const { recorded, enqueued } = await run({ hits: notified, deliveries: { d1: { state: 'delivered' } } });
  expect([recorded, enqueued]).toEqual([[], []]);
});

describe('emergency contacts', () => {
  const stored = { hits, emergencyContacts: contacts };

  test('emergency contacts get one message each if no one was notified', async () => {
    const { recorded, created } = await run(stored);
    expect(recorded.map(([, messages]) => messages.length)).toEqual([0, 2, 0]);
    expect(created.map(({ person }) => person)).toEqual([
      { userId: 21, by: 'sms', name: 'Anna Ash' },
      { userId: 22, by: 'email', name: 'Ben Birch' },
    ]);
  });

  test('emergency contacts are notified of the event if no rule fired', async () => {
    const { recorded, created } = await run(stored, { hitIds: [] });
    expect(recorded.map(([{ hitId }, messages]) => [hitId, messages.length])).toEqual([[null, 0]]);
    expect(created.map(({ hit }) => hit)).toEqual([null, null]);
  });

  test('emergency contacts are notified without a customer webhook', async () => {
    expect((await run({ ...stored, hits: { 11: hitOf(11) } }, { hitIds: [11] })).created).toHaveLength(2);
    expect((await run(stored, { ofEvent: [] })).created).toHaveLength(2);
  });

  test.each([
    ['a webhook of the customer', { deliveries: { d1: { state: 'delivered' } } }],
    ['the recipients of another rule', { hits: { ...hits, 11: hitOf(11, { notifiedDate: 1 }) } }],
  ])('emergency contacts are not notified if %s received the alarm', async (_, more) => {
    const { recorded, created, read } = await run({ ...stored, ...more });
    expect(recorded).toHaveLength(2);
    expect(created).toEqual([]);
    expect(read.some((one) => one.startsWith('sensor'))).toBe(false);
  });

  test('emergency contacts are not notified if the alarm ends during the check', async () => {
    const { created } = await run({ ...stored, results: [{ kind: 'ended' }, { kind: 'ended' }, { kind: 'ended' }] });
    expect(created).toEqual([]);
  });
});

describe('the AlarmsUntold metric', () => {
  const immediate = [
    { webhookId, deliveryId: 'i1' },
    { webhookId: null, deliveryId: 'i2' },
  ];
  const isUntold = async (deliveries: Record<string, unknown>, more: Partial<CheckAlarm> = { immediate }) =>
    (await run({ hits, deliveries }, more)).measured.some(([name]) => name === 'AlarmsUntold');
  const pending = { state: 'pending' };

  test('AlarmsUntold counts an alarm if no due delivery was attempted', async () => {
    expect(await isUntold({ i1: pending, i2: { state: 'sending', log: [] } })).toBe(true);
  });

  test.each([
    ['one was attempted', { i1: pending, i2: { state: 'pending', log: [[1]] } }],
    ['one is to be retried', { i1: pending, i2: { state: 'retrying' } }],
    ['one has failed', { i1: { state: 'failed' }, i2: pending }],
    ['one does not exist', { i1: pending }],
  ])('AlarmsUntold does not count an alarm with two due deliveries if %s', async (_, deliveries) => {
    expect(await isUntold(deliveries)).toBe(false);
  });

  test('AlarmsUntold does not count an alarm without due deliveries', async () => {
    expect(await isUntold({}, { immediate: [] })).toBe(false);
    expect(await isUntold({}, {})).toBe(false);
  });
});

describe('alarm check times', () => {
  test('a check more than a second early is postponed', async () => {
    const { enqueued, recorded } = await run({ hits }, { at: NOW + 1_001 });
    expect(recorded).toEqual([]);
    expect(enqueued).toEqual([[[check({ at: NOW + 1_001 })], 1.001]]);
    expect((await run({ hits }, { at: NOW + 1_000 })).recorded).toHaveLength(3);
  });

  test('a check scheduled implausibly far ahead runs at once', async () => {
    // An alarm created now is checked two minutes later. Clocks differ by up to ten seconds.
    const latest = NOW + 130_000;
    expect((await run({ hits }, { createDate: NOW, at: latest })).recorded).toEqual([]);
    expect((await run({ hits }, { createDate: NOW, at: latest + 1 })).recorded).toHaveLength(3);
    expect((await run({ hits }, { createDate: MADE - 200_000, at: NOW + 10_001 })).recorded).toHaveLength(3);
    expect((await run({ hits }, { createDate: MADE - 200_000, at: NOW + 10_000 })).recorded).toEqual([]);
  });

  test('an alarm dated in the future is checked at once', async () => {
    const corrections = ({ enqueued }: Awaited<ReturnType<typeof run>>) => enqueued[0];
    const after = await run({ hits }, { createDate: NOW + 60_000, at: NOW + 180_000 });
    expect(corrections(after)).toEqual([
      [11, 12].map((hitId) => ({ type: 'escalate', customerId, hitId, setBack: 180_000 })),
      0,
    ]);
    expect(after.recorded).toHaveLength(3);
    // A queue delays a task by no more than 15 minutes.
    const later = await run({ hits }, { createDate: NOW + 60_000, at: NOW + 10_000_000 });
    expect(corrections(later)?.[0]).toMatchObject([{ setBack: 960_000 }, { setBack: 960_000 }]);
    // Host clocks differ by up to ten seconds.
    const skewed = await run({ hits }, { createDate: NOW + 10_000, at: NOW });
    expect(corrections(skewed)?.[0][0]?.type).toBe('process_notice');
  });
});

describe('the next escalation step', () => {
  const cause = { uuid: eventUuid };
  const escalation = { round: 0, after: 0, repeats: 0, at: NOW + 1 };
  const rule = { recipients: [], escalation: [{ afterSeconds: 300, recipients: [] }], repeatSeconds: 60 };
  const hurry = async (hit: object | null, rules: Record<number, unknown> = { 111: rule }) => {
    const stubs = alarmStubs({ hits: hit ? { 11: hit } : {}, rules });
    await hurryEscalation(stubs.deps, customerId, 11);
    return stubs;
  };

  test('the next escalation step runs at once if the alarm reached no one', async () => {
    const hit = hitOf(11, { cause, escalation });
    const { scheduled, enqueued } = await hurry(hit);
    const hurried = { ...escalation, at: NOW, isHurried: true };
    expect(scheduled).toEqual([[customerId, hit, hurried, NOW]]);
    expect(enqueued).toEqual([[[{ type: 'escalate', customerId, hitId: 11, uuid: eventUuid }], 0]]);
    const checked = await run({ hits: { 11: hit }, rules: { 111: rule } }, { hitIds: [11], ofEvent: [] });
    expect(checked.scheduled).toHaveLength(1);
  });

  test.each([
    ['the hit is gone', null],
    ['the hit does not escalate', hitOf(11, { cause })],
    ['the hit has no event', hitOf(11, { escalation })],
    ['a round is open', hitOf(11, { cause, escalation: { ...escalation, open: 'step' } })],
    ['it is due already', hitOf(11, { cause, escalation: { ...escalation, at: NOW } })],
    ['only repeats follow', hitOf(11, { cause, escalation: { ...escalation, after: 300 } })],
  ])('the next escalation step stays unchanged if %s', async (_, hit) => {
    const { scheduled, enqueued } = await hurry(hit);
    expect([scheduled, enqueued]).toEqual([[], []]);
  });

  test('the next escalation step stays unchanged if the rule is gone', async () => {
    for (const rules of [{}, { 111: { ...rule, escalation: [], repeatSeconds: null } }] as Record<number, unknown>[]) {
      const { scheduled, enqueued } = await hurry(some(hitOf(11, { cause, escalation })), rules);
      expect([scheduled, enqueued]).toEqual([[], []]);
    }
  });
});
