import { expect, test } from 'vitest';
import { earlyTime, needsRelease } from '#shared/domain/delivery/early.ts';
import { correctedAttempt } from '#shared/domain/delivery/set-back.ts';

const now = 1_800_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A delivery whose attempt failed at the given time, with the next attempt an hour later. */
const failedAt = (time: number, more: object = {}) =>
  ({
    state: 'retrying',
    createDate: now - DAY,
    updateDate: time,
    sendTryTimes: [time],
    nextAttempt: time + HOUR,
    attempts: 1,
    ...more,
  }) as never;

test('setting the clock back keeps the interval between the last attempt and the next', () => {
  const failed = failedAt(now + DAY - 60_000);
  expect(correctedAttempt(failed, DAY, now)).toBe(now + HOUR - 60_000);
  expect(correctedAttempt(failedAt(now + DAY - 2 * HOUR), DAY, now)).toBe(now);
});

test('setting the clock back keeps a first attempt on schedule', () => {
  const first = { state: 'pending', sendTryTimes: [], attempts: 0 };
  expect(correctedAttempt(failedAt(now + DAY - 60_000, first), DAY, now)).toBe(now + HOUR - 60_000);
  const retried = { updateDate: now - DAY, sendTryTimes: [5, 6, now + DAY - 60_000] };
  expect(correctedAttempt(failedAt(now + DAY - 60_000, retried), DAY, now)).toBe(now + HOUR - 60_000);
});

test('an attempt is due at once if the clock was set back by an unknown amount', () => {
  expect(correctedAttempt(failedAt(now + DAY), null, now)).toBe(now);
});

test('setting the clock back does not move attempts planned before the clock went wrong', () => {
  expect(correctedAttempt(failedAt(now - 60_000), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + 9_000), DAY, now)).toBeNull();
});

test('setting the clock back does not affect deliveries that are due, being sent or finished', () => {
  for (const state of ['delivered', 'failed', 'held', 'sending'])
    expect(correctedAttempt(failedAt(now + DAY, { state }), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + DAY, { nextAttempt: null }), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + DAY, { nextAttempt: now }), DAY, now)).toBeNull();
});

test('an early attempt is possible even if the last attempt has a future date', () => {
  const failed = failedAt(now + DAY, { nextAttempt: now + HOUR });
  expect(earlyTime(failed, now, 0)).toBe(now + 1_000);
});

test('a receiver needs a release after a failure even if the recovery date is in the future', () => {
  const webhook = (fields: object) => fields as never;
  expect(needsRelease(webhook({ pendingSince: 1, backDate: now + DAY, lastFailure: now }), now)).toBe(true);
  expect(needsRelease(webhook({ pendingSince: 1, backDate: now, lastFailure: now - 1 }), now)).toBe(false);
});
