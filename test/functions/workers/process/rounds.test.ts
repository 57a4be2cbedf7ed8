import { describe, expect, test } from 'vitest';
import { customerId, sensorId } from '#test/fixtures/hit-stubs.ts';
import {
  ben,
  cause,
  HOUR,
  hitOf,
  MADE,
  message,
  roundTask,
  rule,
  runRound as run,
  waiting,
} from '#test/fixtures/round-stubs.ts';
import { NOW } from '#test/fixtures/stub-deps.ts';

describe('due rounds', () => {
  test('a due round is sent after a single write', async () => {
    const { names, named, to, enqueued, places, measured, asked, logged, created } = await run();
    expect(names()).toEqual(['hit', 'rule', 'sensor', 'open', 'create', 'create', 'schedule']);
    expect(named('hit')).toEqual([[customerId, 11]]);
    expect(named('rule')).toEqual([[customerId, 111]]);
    expect(named('sensor')).toEqual([[customerId, sensorId]]);
    expect(asked).toEqual([[['w1'], [31]]]);
    const open = { round: 1, after: 30, repeats: 0, at: NOW, open: 'step', to: ['w1', '22 email'] };
    const rows = [
      { accountId: 31, publisher: 'webhook', step: 1, ruleHitId: 11, createDate: NOW, updateDate: NOW, wasSend: false },
      { accountId: 22, publisher: 'email', step: 1, extra: { display_name: 'Ben Birch', is_bot: false } },
    ];
    expect(named('open')).toMatchObject([[customerId, { id: 11 }, { escalation: open, messages: rows }, NOW]]);
    // These messages follow the first round's message.
    expect(to).toEqual([
      ['w1', { id: 11, message: 1 }],
      ['Ben Birch', { id: 11, message: 2 }],
    ]);
    expect(created.every(({ isStep }) => isStep === true)).toBe(true);
    const next = { round: 1, after: 30, repeats: 0, at: MADE + 90_000 };
    expect(named('schedule')).toEqual([[customerId, expect.objectContaining({ id: 11 }), next, NOW]]);
    expect(enqueued.at(-1)).toEqual([[roundTask], 60]);
    expect(enqueued[0]?.[0].map((task) => ('deliveryId' in task ? task.deliveryId : ''))).toEqual(
      created.map(({ id }) => id),
    );
    expect(places).toEqual(['escalate.decided', 'escalate.written', 'escalate.enqueued']);
    expect(measured).toEqual([['AlarmsToTell', 2]]);
    expect(logged).toEqual([
      ['info', 'an escalation round was applied', { hitId: 11, round: 1, deliveries: created.map(({ id }) => id) }],
    ]);
  });

  test('a due round reads the hit again if it has changed', async () => {
    const { names } = await run({ isOpened: [false] });
    expect(names().filter((name) => name === 'hit' || name === 'open')).toEqual(['hit', 'open', 'hit', 'open']);
  });

  test('the round after the last step notifies all recipients again', async () => {
    const repeating = { ...rule, escalation: [{ afterSeconds: 30, recipients: [ben] }], repeatSeconds: 60 };
    const messages = [message(21, 'sms', 0), message(22, 'email', 1)];
    const hit = hitOf({ messages, escalation: { round: 1, after: 30, repeats: 2, at: NOW } });
    const { to, named } = await run({ hits: [hit], of: repeating });
    expect(named('open')).toMatchObject([
      [customerId, {}, { escalation: { open: 'repeat', repeats: 3 }, messages: [] }, NOW],
    ]);
    expect(to).toEqual([
      ['Anna Ash', { id: 11, message: 0 }],
      ['Ben Birch', { id: 11, message: 1 }],
    ]);
    expect(named('schedule')).toMatchObject([[customerId, {}, { repeats: 3, at: NOW + 60_000 }, NOW]]);
  });

  test('the next round is brought forward if no one is on duty for a due round', async () => {
    const onDuty = {
      ...rule,
      escalation: [{ afterSeconds: 30, recipients: [{ onDuty: true, by: 'sms' }] }, rule.escalation[1]],
    };
    const { named, measured, created, enqueued } = await run({ of: onDuty });
    expect(named('open')).toMatchObject([[customerId, {}, { escalation: { isHurried: true, to: [] } }, NOW]]);
    expect(measured).toEqual([['NobodyOnDuty']]);
    expect(created).toEqual([]);
    expect(named('schedule')).toMatchObject([[customerId, {}, { at: NOW, isHurried: true }, NOW]]);
    expect(enqueued.at(-1)).toEqual([[roundTask], 0]);
    const raced = await run({ of: onDuty, isOpened: [false] });
    expect(raced.measured).toEqual([['NobodyOnDuty']]);
  });

  test('a due round notifies the recipients even if the hit cannot hold more messages', async () => {
    const many = Array.from({ length: 299 }, (_, at) => message(1_000 + at, 'sms', 0));
    const { named, to } = await run({ hits: [hitOf({ messages: many })] });
    expect(named('open')[0]?.[2]).toMatchObject({ messages: [{ accountId: 31 }] });
    expect(to).toEqual([
      ['w1', { id: 11, message: 299 }],
      // The result is reported for a message that did not fit into the hit.
      ['Ben Birch', { id: 11, message: 300 }],
    ]);
    const full = Array.from({ length: 301 }, (_, at) => message(1_000 + at, 'sms', 0));
    const none = await run({ hits: [hitOf({ messages: full })] });
    expect(none.named('open')[0]?.[2]).toMatchObject({ messages: [] });
    expect(none.to.map(([, hit]) => hit)).toEqual(Array(2).fill({ id: 11, message: 301 }));
  });

  test('a due round waits if the rule now schedules it later', async () => {
    const later = { ...rule, escalation: [{ afterSeconds: 31, recipients: [ben] }] };
    const { names, named, enqueued } = await run({ of: later });
    expect(names()).toEqual(['hit', 'rule', 'sensor', 'schedule']);
    expect(named('schedule')).toEqual([[customerId, expect.anything(), { ...waiting, at: NOW + 1_000 }, NOW]]);
    expect(enqueued).toEqual([[[roundTask], 1]]);
  });
});

describe('early rounds', () => {
  const later = (at: number, more: object = {}) => run({ hits: [hitOf({ escalation: { ...waiting, at }, ...more })] });

  test('a round task is requeued if it is up to five seconds early', async () => {
    const early = await later(NOW + 5_000);
    expect(early.enqueued).toEqual([[[roundTask], 5]]);
    expect(early.names()).toEqual(['hit']);
    const bySweep = await later(NOW + HOUR, { dueAt: String(NOW) });
    expect(bySweep.named('schedule')).toEqual([[customerId, expect.anything(), { ...waiting, at: NOW + HOUR }, NOW]]);
    const soon = await later(NOW + 600_000, { dueAt: String(NOW - 5) });
    expect(soon.enqueued).toEqual([[[roundTask], 600]]);
  });

  test('a round task is dropped if it is more than five seconds early', async () => {
    const { enqueued, names } = await later(NOW + 5_001);
    expect([enqueued, names()]).toEqual([[], ['hit']]);
  });

  test('an early round is rescheduled after the clock is set back', async () => {
    const ahead = { createDate: NOW + HOUR, escalation: { ...waiting, at: NOW + HOUR + 30_000 } };
    const { named, enqueued } = await run({ hits: [hitOf(ahead)], task: { setBack: HOUR } });
    expect(named('schedule')).toMatchObject([[customerId, {}, { at: NOW + 30_000, from: NOW }, NOW]]);
    expect(enqueued).toEqual([[[roundTask], 30]]);
    const late = hitOf({ escalation: { ...waiting, at: NOW + HOUR } });
    expect((await run({ hits: [late], task: { setBack: HOUR } })).named('schedule')).toMatchObject([
      [customerId, {}, { at: NOW }, NOW],
    ]);
    const come = await run({ hits: [hitOf(ahead)] });
    expect(come.named('schedule')).toHaveLength(1);
    // Nothing to correct, because the round is due.
    expect((await run({ task: { setBack: HOUR } })).created).toHaveLength(2);
    const gone = await run({ hits: [hitOf(ahead)], of: null });
    expect(gone.named('schedule')).toEqual([]);
  });
});

describe('ending an escalation', () => {
  test.each([
    ['the hit is gone', null],
    ['the escalation has already ended', hitOf({ escalation: undefined })],
    ['the event is gone', hitOf({ cause: undefined })],
  ])('an escalation task is dropped without a write if %s', async (_, hit) => {
    expect((await run({ hits: [hit] })).names()).toEqual(['hit']);
  });

  test('an escalation ends without another round once the hit is acknowledged', async () => {
    const acknowledgement = { name: 'Anna' };
    const { named, names } = await run({ hits: [hitOf({ acknowledgement })] });
    expect(names()).toEqual(['hit', 'removeFromDue']);
    expect(named('removeFromDue')).toEqual([[customerId, expect.objectContaining({ id: 11 })]]);
    expect((await run({ hits: [hitOf({ acknowledgement, duePk: undefined })] })).names()).toEqual(['hit']);
  });

  test('an escalation ends if the rule or the sensor is gone', async () => {
    for (const given of [{ of: null }, { isSensorGone: true }]) {
      const { named, created } = await run(given);
      expect(named('schedule')).toEqual([[customerId, expect.anything(), null, NOW]]);
      expect(created).toEqual([]);
    }
  });

  test('an escalation ends once the event is over if the rule allows it', async () => {
    const until = { ...rule, untilAcknowledged: false };
    const over = {
      falls: [{ start: (cause.happening as { subject: { fall: number } }).subject.fall, phases: ['finished'] }],
    };
    expect((await run({ of: until, state: over })).named('schedule')).toMatchObject([[customerId, {}, null, NOW]]);
    for (const given of [
      { of: rule, state: over },
      { of: until, state: null },
      { of: until, state: { falls: [{ start: 1, phases: ['calling'] }] } },
    ])
      expect((await run(given)).created.length).toBeGreaterThan(0);
  });

  test('an escalation ends a minute after the last round if no one acknowledges', async () => {
    const last = { round: 2, after: 90, repeats: 0, at: NOW };
    const waits = await run({ hits: [hitOf({ escalation: last })] });
    const answer = { ...last, at: NOW + 60_000, isLast: true };
    expect(waits.named('schedule')).toEqual([[customerId, expect.anything(), answer, NOW]]);
    expect(waits.enqueued).toEqual([[[roundTask], 60]]);
    const other = await run({ hits: [hitOf({ escalation: last, situation: 'occupied_room' })] });
    expect(other.named('schedule')).toEqual([[customerId, expect.anything(), null, NOW]]);
    expect(other.enqueued).toEqual([]);
    const over = await run({ hits: [hitOf({ escalation: { ...last, isLast: true } })] });
    expect(over.unanswered).toHaveLength(1);
    expect(over.named('schedule')).toEqual([[customerId, expect.anything(), null, NOW]]);
  });

  test('an escalation waits for an acknowledgement right after the last round', async () => {
    const single = { ...rule, escalation: [{ afterSeconds: 30, recipients: [ben] }] };
    const { named } = await run({ of: single });
    expect(named('schedule')).toMatchObject([[customerId, {}, { isLast: true, at: NOW + 60_000 }, NOW]]);
    const other = await run({ of: single, hits: [hitOf({ situation: 'occupied_room' })] });
    expect(other.named('schedule')).toMatchObject([[customerId, {}, null, NOW]]);
  });
});
