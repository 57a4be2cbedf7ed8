import { describe, expect, test } from 'vitest';
import { attemptOutcome, retryAfterSeconds } from '#shared/delivery/targets/http.ts';
import {
  DEADLINE_SECONDS,
  DELIVERY_RETENTION,
  type Delivery,
  deliveryId,
  GONE_AFTER_SECONDS,
  GRACE_SECONDS,
  LEASE_SECONDS,
  MAX_HOLD,
  MAX_RELEASE_AHEAD,
  nextStateAfter,
  nextStateAfterHostFailure,
  RELEASE_INTERVAL,
  RETRY_DELAYS,
} from '#shared/domain/delivery/delivery.ts';
import { deliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { firstUlidAt } from '#shared/domain/ids.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const now = Date.parse('2026-01-05T12:00:00Z');
const MIDDLE = 0.5;
const outcome = (status: number | null, retryAfter: string | null = null) =>
  attemptOutcome({ status, retryAfter }, now);
/** The number of seconds until the next attempt, after this many attempts. */
const wait = (attempts: number, last = outcome(500), schedule: readonly number[] | null = null, random = MIDDLE) => {
  const next = nextStateAfter(attempts, last, schedule, { now, random });
  return next.state === 'retrying' ? (next.nextAttempt - now) / 1_000 : next;
};

describe('afterAttempt', () => {
  test.each([200, 201, 202, 204, 299])('completes the delivery after a %i response', (status) => {
    expect(nextStateAfter(1, outcome(status), null, { now, random: MIDDLE })).toEqual({ state: 'delivered' });
  });

  test.each([100, 199, 300, 301, 302, 400, 401, 404, 429, 500, 503, null])(
    'retries the delivery after a %s response',
    (status) => {
      expect(nextStateAfter(1, outcome(status), null, { now, random: MIDDLE }).state).toBe('retrying');
    },
  );
  test('fails the delivery permanently after a 410 response', () => {
    for (const attempts of [1, 14])
      expect(nextStateAfter(attempts, outcome(410), null, { now, random: MIDDLE })).toEqual({
        state: 'failed',
        reason: 'gone',
      });
  });

  test('follows the retry schedule and fails the delivery after the last attempt', () => {
    const delays = [5, 20, 60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(RETRY_DELAYS).toEqual([0, ...delays]);
    expect(delays.map((_, index) => wait(index + 1))).toEqual(delays);
    expect(wait(14)).toEqual({ state: 'failed', reason: 'exhausted' });
  });

  test('adds up to 20% jitter in either direction', () => {
    expect(wait(4, outcome(500), null, 0)).toBe(240);
    expect(wait(4, outcome(500), null, 0.999_999)).toBeCloseTo(360, 2);
  });

  test("follows the webhook's own schedule, including the initial delay", () => {
    expect(wait(1, outcome(500), [0, 1, 2])).toBe(1);
    expect(wait(2, outcome(500), [0, 1, 2])).toBe(2);
    expect(wait(3, outcome(500), [0, 1, 2])).toEqual({ state: 'failed', reason: 'exhausted' });
    expect(wait(1, outcome(500), [0])).toEqual({ state: 'failed', reason: 'exhausted' });
  });

  test('waits at least 60 s before the fourth attempt at an overloaded receiver by default', () => {
    expect(Math.min(...RETRY_DELAYS.slice(3))).toBe(60);
    for (const overloaded of [outcome(429), outcome(502), outcome(503), outcome(504), outcome(null)]) {
      expect(wait(2, overloaded)).toBe(20);
      expect(wait(3, overloaded)).toBe(60);
      expect(wait(3, overloaded, null, 0)).toBe(48);
      expect(wait(3, overloaded, [0, 1, 1, 1])).toBe(1);
    }
  });
});

describe('nextStateAfterHostFailure', () => {
  const start = Date.UTC(2026, 10, 28);
  const id = firstUlidAt(start).padEnd(26, '0');

  test('retries after host failures until a day before deletion, in fewer than 80 attempts', () => {
    const delays: number[] = [];
    let now = start;
    for (let attempts = 1; ; attempts++) {
      const next = nextStateAfterHostFailure({ id, attempts }, { now, random: 0.5 });
      if (next.state !== 'retrying') {
        expect(next).toEqual({ state: 'failed', reason: 'exhausted' });
        break;
      }
      delays.push((next.nextAttempt - now) / 1_000);
      now = next.nextAttempt;
    }
    expect(delays.slice(0, 4)).toEqual([10, 40, 150, 300]);
    expect(delays.length).toBeLessThan(80);
    expect((now - start) / 86_400_000).toBeGreaterThan(27);
    expect((now - start) / 86_400_000).toBeLessThanOrEqual(29);
  });

  test.each([
    [0.05, 60],
    [1, 900],
    [23, 3_600],
    [24, 3_600],
    [25, 86_400],
  ])('after %d hours, retries a host failure in %i s', (hours, seconds) => {
    const now = start + hours * 3_600_000;
    const next = nextStateAfterHostFailure({ id, attempts: 20 }, { now, random: 0.5 });
    expect(next).toEqual({ state: 'retrying', nextAttempt: now + seconds * 1_000 });
  });
});

test('Retry-After applies only to 429 and 503 responses, without jitter', () => {
  expect([429, 503].map((status) => wait(1, outcome(status, '120'), null, 0))).toEqual([120, 120]);
  expect([500, 502, 504, 400].map((status) => wait(1, outcome(status, '120')))).toEqual([5, 5, 5, 5]);
});

test('jitter never shortens Retry-After', () => {
  expect([240, 290, 300].map((seconds) => wait(4, outcome(429, String(seconds)), null, 0))).toEqual([240, 290, 300]);
  expect(wait(4, outcome(429, '200'), null, 0)).toBe(240);
  expect(wait(4, outcome(429, '290'), null, 0.999_999)).toBeCloseTo(360, 2);
  expect(wait(4, outcome(429, '310'), null, 0.999_999)).toBe(310);
});

test('Retry-After never shortens a delay', () => {
  expect(wait(4, outcome(429, '10'))).toBe(300);
  expect(wait(4, outcome(429, '0'))).toBe(300);
});

test('Retry-After can delay a retry by at most an hour or twice the scheduled delay', () => {
  expect(wait(1, outcome(429, '999999'))).toBe(3_600);
  expect(wait(8, outcome(429, '999999'))).toBe(14_400);
  expect(wait(1, outcome(429, '999999'), [0, 5_000])).toBe(10_000);
  for (const digits of [10, 30, 400]) expect(wait(1, outcome(503, '9'.repeat(digits)))).toBe(3_600);
});

test('Retry-After can be a date', () => {
  expect(wait(1, outcome(503, 'Mon, 05 Jan 2026 12:02:00 GMT'))).toBe(120);
  expect(retryAfterSeconds('Mon, 05 Jan 2026 11:00:00 GMT', now)).toBe(0);
});

test.each([null, '', '-5', '1.5', '1e3', '0x10', 'soon', '12 13', '2026-01-05T13:00:00Z', 'Mon, 99 Foo'])(
  'Retry-After is ignored if it is %j',
  (header) => {
    expect(retryAfterSeconds(header, now)).toBe(0);
  },
);

test('the lease outlasts the attempt deadline', () => {
  expect({ DEADLINE_SECONDS, LEASE_SECONDS, GRACE_SECONDS, GONE_AFTER_SECONDS }).toEqual({
    DEADLINE_SECONDS: 15,
    LEASE_SECONDS: 30,
    GRACE_SECONDS: 30,
    GONE_AFTER_SECONDS: 120,
  });
  expect([RELEASE_INTERVAL, MAX_RELEASE_AHEAD]).toEqual([100, 60_000]);
  expect([MAX_HOLD, DELIVERY_RETENTION]).toEqual([14 * 86_400_000, 30 * 86_400_000]);
});

describe('failed early attempts', () => {
  const early = (planned: number, last = outcome(500), attempts = 2) =>
    nextStateAfter(attempts, last, null, { now, random: MIDDLE, planned });
  test('a failed early attempt does not change the next scheduled time', () => {
    expect(early(now + 60_000)).toEqual({ state: 'retrying', nextAttempt: now + 60_000 });
    expect(early(now + 60_000, outcome(500), 14)).toEqual({ state: 'retrying', nextAttempt: now + 60_000 });
  });

  test('a failed early attempt delays the next attempt by at least 5 s', () => {
    expect(early(now + 5_001)).toEqual({ state: 'retrying', nextAttempt: now + 5_001 });
    expect(early(now + 1)).toEqual({ state: 'retrying', nextAttempt: now + 5_000 });
  });

  test('a failed early attempt postpones the next one until Retry-After has passed', () => {
    const retryAfterDate = now + 120_000;
    expect(early(now + 60_000, outcome(503, '120'))).toEqual({
      state: 'retrying',
      nextAttempt: retryAfterDate,
      retryAfterDate,
    });
    expect(early(now + 180_000, outcome(503, '120'))).toMatchObject({ nextAttempt: now + 180_000, retryAfterDate });
  });

  test('an early attempt can complete a delivery or fail it permanently', () => {
    expect(early(now + 60_000, outcome(200))).toEqual({ state: 'delivered' });
    expect(early(now + 60_000, outcome(410))).toEqual({ state: 'failed', reason: 'gone' });
  });
});

test('a delivery stores the Retry-After date', () => {
  const after = (last: ReturnType<typeof outcome>) => nextStateAfter(1, last, null, { now, random: MIDDLE });
  expect(after(outcome(429, '1'))).toMatchObject({ retryAfterDate: now + 1_000 });
  expect(after(outcome(429, '120'))).toEqual({
    state: 'retrying',
    nextAttempt: now + 120_000,
    retryAfterDate: now + 120_000,
  });
  for (const none of [outcome(429), outcome(429, '0'), outcome(500, '120')])
    expect(after(none)).toEqual({ state: 'retrying', nextAttempt: now + 5_000 });
});

describe('delivery ids', () => {
  const event = { receiveDate: now, uuid: 'u', sensorId: 's' };
  test('a delivery id depends on the event, the webhook and the rule', () => {
    const id = deliveryId(event, 'w', 1);
    expect(deliveryId({ ...event }, 'w', 1)).toBe(id);
    const others = [
      deliveryId(event, 'w', 2),
      deliveryId(event, 'v', 1),
      deliveryId({ ...event, uuid: 'v' }, 'w', 1),
      deliveryId({ ...event, sensorId: 't' }, 'w', 1),
    ];
    expect(new Set([id, ...others]).size).toBe(5);
  });
});

test('a delivery shows the date from its id, even if it was written later', () => {
  const event = { receiveDate: now, uuid: 'u', sensorId: 's' };
  const id = deliveryId(event, 'w', 1);
  const late = { id, createDate: now + 3_600_000, hit: null, state: 'pending', snapshot: bareSnapshot };
  const { createDate } = deliveryView(late as Delivery);
  expect(createDate).toBe(now);
  expect([id >= firstUlidAt(createDate), id < firstUlidAt(createDate + 1)]).toEqual([true, true]);
});
