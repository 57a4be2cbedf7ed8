import { describe, expect, test } from 'vitest';
import {
  BREAKER_FAILURES,
  circuitOf,
  failureActionOf,
  isHealthy,
  isNewAlarm,
  isSuccessToRecord,
  LEASE_MS,
  lapsedBefore,
  openUntilAfter,
  passageOf,
  SLOTS_PER_WEBHOOK,
  slowUntil,
  tokenName,
} from '#shared/domain/delivery/breaker.ts';
import { DEADLINE_SECONDS } from '#shared/domain/delivery/delivery.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const healthy = { consecutiveFailures: 0 };
const failing = { consecutiveFailures: BREAKER_FAILURES };

type Health = Parameters<typeof passageOf>[0];
const retry = (health: Health, random = 0) => passageOf(health, false, now, random);
const alarm = (health: Health) => passageOf(health, true, now, 0);

describe('circuit breaker', () => {
  test('the circuit breaker requires a slot only for a slow or failing receiver', () => {
    expect(retry(healthy)).toEqual({ kind: 'free' });
    expect(retry({ consecutiveFailures: 1 })).toEqual({ kind: 'slot' });
    expect(retry({ ...healthy, slowUntil: now + 1 })).toEqual({ kind: 'slot' });
    expect(retry({ ...healthy, slowUntil: now })).toEqual({ kind: 'free' });
  });

  test('a receiver is healthy if it is neither slow nor failing', () => {
    expect(isHealthy({ ...healthy, slowUntil: now }, now)).toBe(true);
    expect(isHealthy({ ...healthy, slowUntil: now + 1 }, now)).toBe(false);
    expect(isHealthy({ consecutiveFailures: 1 }, now)).toBe(false);
    expect(isHealthy({ ...healthy, openUntil: now }, now)).toBe(false);
  });

  test('an open circuit postpones retries, then lets one through as a probe', () => {
    expect(retry({ ...failing, openUntil: now + 5_000 })).toEqual({ kind: 'postponed', until: now + 5_000 });
    expect(retry({ ...failing, openUntil: now })).toEqual({ kind: 'probe' });
    const probed = { ...failing, openUntil: now, probeUntil: now + 1 };
    expect(retry(probed)).toEqual({ kind: 'postponed', until: now + 1_000 });
    expect(retry({ ...probed, probeUntil: now })).toEqual({ kind: 'probe' });
  });

  test('the circuit breaker ignores far-future times recorded before the clock was set back', () => {
    const [openUntil, probeUntil, slow] = [now + DAY + 60_000, now + DAY + 30_000, now + DAY + 600_000];
    expect(retry({ ...healthy, slowUntil: slow })).toEqual({ kind: 'free' });
    expect(retry({ ...failing, openUntil })).toEqual({ kind: 'probe' });
    expect(retry({ ...failing, openUntil, probeUntil: now + 1 })).toEqual({ kind: 'postponed', until: now + 1_000 });
    expect(alarm({ ...failing, openUntil, probeUntil })).toEqual({ kind: 'probe' });
    expect(circuitOf({ ...failing, openUntil, probeUntil }, now).state).toBe('half_open');
    expect(isSuccessToRecord({ ...healthy, lastSuccess: now + DAY }, now)).toBe(true);
    expect(isSuccessToRecord({ ...healthy, lastSuccess: now + 10_001 }, now)).toBe(true);
    expect(isSuccessToRecord({ ...healthy, lastSuccess: now + 10_000 }, now)).toBe(false);
  });

  test('the circuit is open while retries are postponed, and half-open before and during a probe', () => {
    const [closed, half] = ['closed', 'half_open'].map((state) => ({ state, openUntil: null }));
    const open = { state: 'open', openUntil: now + 1 };
    expect(circuitOf(failing, now)).toEqual(closed);
    expect(circuitOf({ ...failing, openUntil: now + 1 }, now)).toEqual(open);
    expect(circuitOf({ ...failing, openUntil: now + 1, probeUntil: now }, now)).toEqual(open);
    expect(circuitOf({ ...failing, openUntil: now + 1, probeUntil: now + 1 }, now)).toEqual(half);
    expect(circuitOf({ ...failing, openUntil: now }, now)).toEqual(half);
  });

  test('a new alarm probes an open circuit, or waits for the probe in progress', () => {
    expect(alarm({ ...failing, openUntil: now + 60_000 })).toEqual({ kind: 'probe' });
    expect(alarm({ ...failing, openUntil: now + 60_000, probeUntil: now })).toEqual({ kind: 'probe' });
    expect(alarm({ ...failing, openUntil: now + 60_000, probeUntil: now + 1 })).toEqual({ kind: 'probe_result' });
    expect(alarm({ ...failing, openUntil: now, probeUntil: now + 1 })).toEqual({ kind: 'probe_result' });
  });

  test('postponed retries are spread out further as failures increase, up to 5 minutes', () => {
    const spread = (consecutiveFailures: number) => {
      const passage = retry({ consecutiveFailures, openUntil: now + 1_000 }, 0.999_999);
      return passage.kind === 'postponed' ? passage.until - now - 1_000 : expect.unreachable(passage.kind);
    };
    expect(spread(10)).toBe(500);
    expect(spread(100)).toBe(5_000);
    expect(spread(1_000_000)).toBe(300_000);
  });

  test('the circuit opens after ten consecutive failures and stays open until the next retry, for at most 60 s', () => {
    expect(openUntilAfter(BREAKER_FAILURES - 1, 60_000, now)).toBeNull();
    expect(openUntilAfter(BREAKER_FAILURES, 1, now)).toBe(now + 1);
    expect(openUntilAfter(BREAKER_FAILURES, 1_000, now)).toBe(now + 1_000);
    expect(openUntilAfter(BREAKER_FAILURES, DAY, now)).toBe(now + 60_000);
    expect(openUntilAfter(BREAKER_FAILURES, 0, now)).toBeNull();
  });

  test('a response that takes at least 2 s marks the receiver as slow for 10 minutes', () => {
    expect(slowUntil(1_999, now)).toBeNull();
    expect(slowUntil(2_000, now)).toBe(now + 600_000);
  });
});

test('a delivery counts as a new alarm for a minute after it is due, or until it is attempted', () => {
  expect(isNewAlarm(0, now - 59_999, now)).toBe(true);
  expect(isNewAlarm(0, now - 60_000, now)).toBe(false);
  expect(isNewAlarm(1, now, now)).toBe(false);
});

test('a webhook records at most one success per minute, unless it was failing', () => {
  expect(isSuccessToRecord({ ...healthy, lastSuccess: now - 59_999 }, now)).toBe(false);
  expect(isSuccessToRecord({ ...healthy, lastSuccess: now - 60_000 }, now)).toBe(true);
  expect(isSuccessToRecord({ consecutiveFailures: 1, lastSuccess: now }, now)).toBe(true);
  expect(isSuccessToRecord({ ...healthy, lastSuccess: now, openUntil: 1 }, now)).toBe(true);
});

describe('consecutive failures', () => {
  const lasting = (days: number, consecutiveFailures = 20, warnedAt?: number) =>
    failureActionOf({ consecutiveFailures, failingSince: now - days * DAY, ...(warnedAt && { warnedAt }) }, now);

  test('a webhook is disabled after failing for 5 days', () => {
    expect(lasting(2.4)).toBe('none');
    expect(lasting(2.5)).toBe('warn');
    expect(lasting(2.5, 20, now - DAY)).toBe('none');
    expect([lasting(3, 20, now - 3 * DAY), lasting(3, 20, now - 3 * DAY - 1)]).toEqual(['none', 'warn']);
    expect(lasting(5)).toBe('disable');
    expect(lasting(5, 19)).toBe('none');
  });

  test('a success resets consecutive failures', () => {
    expect(failureActionOf({ consecutiveFailures: 0 }, now)).toBe('none');
  });
});

describe('slot leases', () => {
  test('a slot lease lasts 30 s, longer than any attempt, and each webhook has five slots', () => {
    expect([LEASE_MS, DEADLINE_SECONDS, SLOTS_PER_WEBHOOK, BREAKER_FAILURES]).toEqual([30_000, 15, 5, 10]);
    expect([tokenName('slot1'), tokenName('probeUntil')]).toEqual(['slot1Token', 'probeUntilToken']);
  });

  test('a slot lease does not outlive its process if no other process uses the table', () => {
    expect(lapsedBefore(now, 0)).toBe(now);
    expect([lapsedBefore(now, now - 29_999), lapsedBefore(now, now), lapsedBefore(now, now + 10_000)]).toEqual([
      now + 1,
      now + 30_000,
      now + 40_000,
    ]);
  });

  test('a process start time in the future does not affect slot leases', () => {
    expect(lapsedBefore(now, now + 10_001)).toBe(now);
  });
});
