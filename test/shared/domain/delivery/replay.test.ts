import { describe, expect, test } from 'vitest';
import { type Delivery, deliveryId, isFirstDelivery } from '#shared/domain/delivery/delivery.ts';
import {
  isFinished,
  isReplayed,
  NewReplay,
  type ReplayRecord,
  redeliveryOf,
  replayedDelivery,
  replayView,
  spanOf,
} from '#shared/domain/delivery/replay.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const uuid = '00000000-0000-4000-8000-000000000000';
const record: ReplayRecord = {
  id: uuid,
  webhookId: uuid,
  customerId: 1,
  state: 'running',
  since: now - DAY,
  until: now,
  states: ['failed'],
  ratePerSecond: 10,
  sent: 2,
  failed: 1,
  found: 5,
  made: 3,
  createDate: now,
  updateDate: now,
  cursor: null,
  pacedUntil: now,
  isListed: false,
  step: 1,
};
const original: Delivery & { webhookId: string } = {
  id: deliveryId({ receiveDate: now - DAY, uuid: 'u', sensorId: 's' }, uuid, 1),
  customerId: 1,
  webhookId: uuid,
  createDate: now - DAY,
  updateDate: now - DAY,
  state: 'failed',
  reason: 'exhausted',
  attempts: 14,
  nextAttempt: null,
  hit: { id: 7, message: 0 },
  sendTryTimes: [now - DAY],
  log: [],
  format: 'full',
  snapshot: bareSnapshot,
};

describe('replay requests', () => {
  test('a replay resends failed and held deliveries by default, ten per second', () => {
    expect(NewReplay.parse({ since: 5, until: 5 })).toEqual({
      since: 5,
      until: 5,
      states: ['failed', 'held'],
      ratePerSecond: 10,
    });
  });

  test('the error for a replay request names the invalid field if the time span ends before it begins', () => {
    const { error } = NewReplay.safeParse({ since: 5, until: 4 });
    expect(error?.issues).toMatchObject([{ code: 'custom', path: ['until'], params: { key: 'minimum', limit: 5 } }]);
  });

  test.each<object>([
    { states: [] },
    { states: ['pending'] },
    { states: ['failed', 'held', 'delivered', 'failed'] },
    { ratePerSecond: 0 },
    { ratePerSecond: 101 },
  ])('a replay request with %j is rejected', (more) => {
    expect(NewReplay.safeParse({ since: 5, until: 6, ...more }).success).toBe(false);
  });

  test('a replay accepts all final delivery states and rates from 1 to 100 per second', () => {
    const states = ['delivered', 'held', 'failed'];
    for (const ratePerSecond of [1, 100])
      expect(NewReplay.parse({ since: 5, until: 6, states, ratePerSecond })).toMatchObject({ states, ratePerSecond });
    expect(
      ['pending', 'sending', 'retrying', undefined].map((state) => isResting(state as Delivery['state'])),
    ).not.toContain(true);
    expect(states.map((state) => isResting(state as Delivery['state']))).not.toContain(false);
  });
});

describe('replays', () => {
  test('a replay covers neither expired deliveries nor deliveries created later', () => {
    expect(spanOf({ since: 0, until: now + DAY, createDate: now })).toEqual([now - 30 * DAY, now]);
    expect(spanOf({ since: now - DAY, until: now - 1, createDate: now })).toEqual([now - DAY, now - 1]);
  });

  test('a replay does not resend tests or redeliveries', () => {
    const replay = { states: ['failed', 'held'] } as const;
    const resent = (delivery: Partial<Delivery>) =>
      isReplayed({ states: [...replay.states] }, { ...original, ...delivery });
    expect([resent({}), resent({ state: 'held' }), resent({ state: 'delivered' })]).toEqual([true, true, false]);
    expect([resent({ replayOf: 'x' }), resent({ isTest: true })]).toEqual([false, false]);
  });

  test('a replay ends when all redeliveries have been created and finished', () => {
    const { isListed } = record;
    expect([isFinished(record), isFinished({ ...record, isListed: !isListed })]).toEqual([false, true]);
    expect(isFinished({ ...record, isListed: true, failed: 0 })).toBe(false);
    expect(isFinished({ ...record, isListed: true, failed: 2 })).toBe(true);
  });

  test("a replay's total is at least the number of redeliveries created", () => {
    expect(replayView(record).total).toBe(5);
    expect(replayView({ ...record, made: 6 }).total).toBe(6);
    expect(replayView({ ...record, isListed: true }).total).toBe(3);
  });

  test('a replay that is not running never appears paused', () => {
    expect(replayView(record).isPaused).toBe(false);
    expect(replayView({ ...record, isPaused: true }).isPaused).toBe(true);
    expect(replayView({ ...record, isPaused: true, state: 'completed' }).isPaused).toBe(false);
  });
});

describe('redeliveries', () => {
  test('a redelivery restarts the retry schedule with the original content', () => {
    expect(redeliveryOf(original, 'new', now + 0.4, now - 5)).toEqual({
      id: 'new',
      customerId: 1,
      webhookId: uuid,
      createDate: now - 5,
      updateDate: now - 5,
      state: 'pending',
      reason: null,
      attempts: 0,
      nextAttempt: now,
      hit: { id: 7, message: 0 },
      sendTryTimes: [],
      replayOf: original.id,
      format: 'full',
      snapshot: bareSnapshot,
    });
  });

  test('a redelivery keeps the original recipient, later hits, body, test mark and author of the feedback', () => {
    const { format: _, ...rest } = original;
    const more = {
      person: { userId: 1, by: 'sms', name: 'n' },
      alsoHits: [{ id: 8, message: 0 }],
      body: '',
      isTest: true,
      feedbackFrom: { customerId: 2, userId: 3 },
    } as const;
    const kept = redeliveryOf({ ...rest, ...more, alsoHits: [...more.alsoHits] }, 'new', now, now);
    expect(kept).toMatchObject(more);
    expect(kept).not.toHaveProperty('format');
    for (const field of ['person', 'alsoHits', 'body', 'isTest', 'repeats', 'feedbackFrom'])
      expect(redeliveryOf(original, 'new', now, now)).not.toHaveProperty(field);
  });

  test('a redelivery of a redelivery names both the original and the resent delivery', () => {
    const again = redeliveryOf({ ...original, id: 'second', replayOf: 'first' }, 'third', now, now);
    expect(again).toMatchObject({ id: 'third', replayOf: 'first', repeats: 'second' });
  });

  test('redelivering twice in one replay yields the same id', () => {
    const made = replayedDelivery(original, record, now + 9, now);
    expect(made).toMatchObject({ replay: uuid, replayOf: original.id, nextAttempt: now + 9 });
    expect(timeOfUlid(made.id)).toBe(now);
    expect(replayedDelivery(original, record, now + 99, now + 50).id).toBe(made.id);
    expect(replayedDelivery({ ...original, id: 'other' }, record, now, now).id).not.toBe(made.id);
    expect(replayedDelivery(original, { ...record, id: 'other' }, now, now).id).not.toBe(made.id);
  });
});

test('tests, feedback and redeliveries are not first deliveries', () => {
  const first = (more: Partial<Delivery>) => isFirstDelivery({ ...original, ...more });
  expect(first({})).toBe(true);
  expect([
    first({ isTest: true }),
    first({ body: '' }),
    first({ replayOf: 'x' }),
    first({ replay: 'x' }),
  ]).not.toContain(true);
});
