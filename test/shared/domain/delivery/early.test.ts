import { describe, expect, test } from 'vitest';
import type { PackedAttempt } from '#shared/domain/delivery/attempt.ts';
import { backoffAfter } from '#shared/domain/delivery/backoff.ts';
import { type Delivery, deliveryId } from '#shared/domain/delivery/delivery.ts';
import {
  earlyTime,
  isEarlyAttempt,
  isFailingAgain,
  isOnlyFailing,
  needsRelease,
  releaseOrderOf,
} from '#shared/domain/delivery/early.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { kinds } from '#shared/domain/kinds.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const now = 1_800_000_000_000;
const HOUR = 3_600_000;
const webhookOf = (fields: object) => ({ consecutiveFailures: 0, ...fields }) as WebhookRecord;
const deliveryOf = (fields: Partial<Delivery>): Delivery => ({
  id: deliveryId({ receiveDate: now - HOUR, uuid: 'u', sensorId: 's' }, 'w', 1),
  customerId: 1,
  webhookId: 'w',
  createDate: now - HOUR,
  updateDate: now - HOUR,
  state: 'retrying',
  reason: null,
  attempts: 1,
  nextAttempt: now + HOUR,
  hit: null,
  sendTryTimes: [now - HOUR],
  snapshot: bareSnapshot,
  ...fields,
});

describe('pending deliveries', () => {
  test('pending deliveries need a release if the receiver has not recovered since the last failure', () => {
    expect(needsRelease(webhookOf({}), now)).toBe(false);
    expect(needsRelease(webhookOf({ backDate: 5, lastFailure: 9 }), now)).toBe(false);
    expect(needsRelease(webhookOf({ pendingSince: 1 }), now)).toBe(true);
    expect(needsRelease(webhookOf({ pendingSince: 1, backDate: 5, lastFailure: 5 }), now)).toBe(true);
    expect(needsRelease(webhookOf({ pendingSince: 1, backDate: 6, lastFailure: 5 }), now)).toBe(false);
  });

  test('a release stops after three consecutive failures or when the circuit opens', () => {
    expect([2, 3].map((consecutiveFailures) => isFailingAgain(webhookOf({ consecutiveFailures })))).toEqual([
      false,
      true,
    ]);
    expect(isFailingAgain(webhookOf({ openUntil: 1 }))).toBe(true);
  });
});

describe('isOnlyFailing', () => {
  const attempt = (number: number): PackedAttempt => [number, 1, 500, null, [], ''];
  const delivery = deliveryOf({ sendTryTimes: [now - 300, now - 200, now - 100], log: [1, 2, 3].map(attempt) });
  const only = webhookOf({ pendingSince: now - HOUR, consecutiveFailures: 3 });
  test('a delivery counts as the only failing one if it accounts for all receiver failures', () => {
    expect(isOnlyFailing(only, delivery)).toBe(true);
    const since = { ...only, lastSuccess: now - 200, consecutiveFailures: 1 };
    expect(isOnlyFailing(since, delivery)).toBe(true);
    expect(isOnlyFailing({ ...since, consecutiveFailures: 2 }, delivery)).toBe(false);
  });

  test.each<[string, object, Partial<Delivery>]>([
    ['other deliveries failed as well', { consecutiveFailures: 4 }, {}],
    ['an older delivery is pending', { pendingSince: now - HOUR - 1 }, {}],
    ['the circuit is open', { openUntil: 1 }, {}],
    ['the receiver has recovered since', { backDate: now - HOUR }, {}],
    ['nothing failed', { consecutiveFailures: 0 }, { log: [] }],
    ['the attempts are not logged yet', {}, { log: [] }],
  ])('a delivery does not count as the only failing one if %s', (_, webhook, more) => {
    expect(isOnlyFailing(webhookOf({ ...only, ...webhook }), { ...delivery, ...more })).toBe(false);
  });

  test('a delivery without a log never counts as the only failing one', () => {
    const { log: _, ...unlogged } = delivery;
    expect(isOnlyFailing(only, unlogged)).toBe(false);
  });
});

describe('early attempts', () => {
  test('an early attempt replaces the scheduled one', () => {
    expect(isEarlyAttempt(deliveryOf({ nextAttempt: now, sendTryTimes: [now - 1] }))).toBe(true);
    expect(isEarlyAttempt(deliveryOf({ nextAttempt: now, sendTryTimes: [now] }))).toBe(false);
    expect(isEarlyAttempt(deliveryOf({ nextAttempt: null, sendTryTimes: [now - 1] }))).toBe(false);
    expect(isEarlyAttempt(deliveryOf({ nextAttempt: 1, sendTryTimes: [] }))).toBe(true);
  });

  test('an early attempt must save more than a second', () => {
    expect(earlyTime(deliveryOf({}), now, 0)).toBe(now);
    expect(earlyTime(deliveryOf({ nextAttempt: now + 1_001 }), now, 0)).toBe(now);
    expect(earlyTime(deliveryOf({ nextAttempt: now + 1_000 }), now, 0)).toBeNull();
    expect(earlyTime(deliveryOf({ state: 'pending' }), now, 0)).toBe(now);
  });

  test.each(['delivered', 'failed', 'held', 'sending'] as const)('a %s delivery is never attempted early', (state) => {
    expect(earlyTime(deliveryOf({ state }), now, 0)).toBeNull();
  });
  test('a delivery without a scheduled attempt is never attempted early', () => {
    expect(earlyTime(deliveryOf({ nextAttempt: null }), now, 0)).toBeNull();
  });

  test("an early attempt waits until the receiver's Retry-After date", () => {
    expect(earlyTime(deliveryOf({ retryAfterDate: now + 60_000 }), now, 0)).toBe(now + 60_000);
  });

  test('an early attempt waits a second after the previous one, doubling each time', () => {
    const rested = (earlyAttempts?: number) =>
      earlyTime(deliveryOf({ sendTryTimes: [1, now], ...(earlyAttempts && { earlyAttempts }) }), now, 0);
    expect([rested(), rested(1), rested(4)]).toEqual([now + 1_000, now + 2_000, now + 16_000]);
  });

  test('an early attempt never shortens a configured initial delay', () => {
    const first = (nextAttempt: number) =>
      earlyTime(
        deliveryOf({ state: 'pending', attempts: 0, sendTryTimes: [], createDate: now, nextAttempt }),
        now,
        60_000,
      );
    expect(first(now + 65_000)).toBeNull();
    expect(first(now + 65_001)).toBe(now);
    const retried = deliveryOf({ createDate: now - 1_000, sendTryTimes: [now - 1_000], nextAttempt: now + 4_000 });
    expect(earlyTime(retried, now, 60_000)).toBe(now);
  });
});

test('alarms about people are released first, then other alarms, then the rest', () => {
  const about = (situation: 'fall_detected' | 'sensor_inactive' | 'bed_left') =>
    deliveryOf({ snapshot: { ...bareSnapshot, event: { ...bareSnapshot.event, ...kinds[situation] } } });
  const orders = (['fall_detected', 'sensor_inactive', 'bed_left'] as const).map(about).map(releaseOrderOf);
  expect(orders).toEqual(['about_people', 'other_alarms', 'rest']);
});

test('a backoff starts after the tolerated failures and doubles from 1 s up to 60 s', () => {
  expect([0, 1, 2, 3, 4, 8, 9, 99].map((failures) => backoffAfter(failures, 2))).toEqual([
    0, 0, 1_000, 2_000, 4_000, 60_000, 60_000, 60_000,
  ]);
});
