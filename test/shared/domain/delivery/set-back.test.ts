import { expect, test } from 'vitest';
import { earlyTime, needsRelease } from '#shared/domain/delivery/early.ts';
import { correctedAttempt } from '#shared/domain/delivery/set-back.ts';

const now = 1_800_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A delivery whose attempt failed at a time, and whose next attempt is an hour later. */
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

test('the next attempt of a delivery keeps its planned interval after the last attempt when the clock is set back', () => {
  const failed = failedAt(now + DAY - 60_000);
  expect(correctedAttempt(failed, DAY, now)).toBe(now + HOUR - 60_000);
  expect(correctedAttempt(failedAt(now + DAY - 2 * HOUR), DAY, now)).toBe(now);
});

test('the next attempt of a delivery stays on schedule when the clock is set back, whether it is the first attempt or follows attempts with future dates', () => {
  const first = { state: 'pending', sendTryTimes: [], attempts: 0 };
  expect(correctedAttempt(failedAt(now + DAY - 60_000, first), DAY, now)).toBe(now + HOUR - 60_000);
  const retried = { updateDate: now - DAY, sendTryTimes: [5, 6, now + DAY - 60_000] };
  expect(correctedAttempt(failedAt(now + DAY - 60_000, retried), DAY, now)).toBe(now + HOUR - 60_000);
});

test('the next attempt of a delivery is due at once when its task arrives after the clock was set back, because queues do not depend on the clock', () => {
  expect(correctedAttempt(failedAt(now + DAY), null, now)).toBe(now);
});

test('the next attempt of a delivery keeps its time when the clock is set back if it was planned before the clock was set ahead', () => {
  expect(correctedAttempt(failedAt(now - 60_000), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + 9_000), DAY, now)).toBeNull();
});

test('a delivery that has ended, is being sent or is due gets no corrected attempt when the clock is set back', () => {
  for (const state of ['delivered', 'failed', 'held', 'sending'])
    expect(correctedAttempt(failedAt(now + DAY, { state }), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + DAY, { nextAttempt: null }), DAY, now)).toBeNull();
  expect(correctedAttempt(failedAt(now + DAY, { nextAttempt: now }), DAY, now)).toBeNull();
});

test('a delivery can be attempted early after its receiver recovers, even if its last attempt has a future date', () => {
  const failed = failedAt(now + DAY, { nextAttempt: now + HOUR });
  expect(earlyTime(failed, now, 0)).toBe(now + 1_000);
});

test('a receiver whose recovery is dated in the future needs a release again after its next failure', () => {
  const webhook = (fields: object) => fields as never;
  expect(needsRelease(webhook({ pendingSince: 1, backDate: now + DAY, lastFailure: now }), now)).toBe(true);
  expect(needsRelease(webhook({ pendingSince: 1, backDate: now, lastFailure: now - 1 }), now)).toBe(false);
});
