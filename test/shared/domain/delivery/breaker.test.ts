import { describe, expect, test } from 'vitest';
import {
  BREAKER_FAILURES,
  circuitOf,
  isNew,
  isNewsOfSuccess,
  openUntilAfter,
  requestModeOf,
  slowUntil,
  verdictOn,
} from '#shared/domain/delivery/breaker.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const well = { consecutiveFailures: 0 };
const failing = { consecutiveFailures: BREAKER_FAILURES };

const repeated = (health: Parameters<typeof requestModeOf>[0], random = 0) => requestModeOf(health, false, now, random);
const alarm = (health: Parameters<typeof requestModeOf>[0]) => requestModeOf(health, true, now, 0);

describe('a receiver', () => {
  test('that is well is called freely, one in trouble in its slots', () => {
    expect(repeated(well)).toBe('free');
    expect(repeated({ consecutiveFailures: 1 })).toBe('slot');
    expect(repeated({ ...well, slowUntil: now + 1 })).toBe('slot');
    expect(repeated({ ...well, slowUntil: now })).toBe('free');
  });

  test('that rests is spared repetitions, then one of them is its probe, and others come later', () => {
    expect(repeated({ ...failing, openUntil: now + 5_000 })).toBe(now + 5_000);
    expect(repeated({ ...failing, openUntil: now })).toBe('probe');
    expect(repeated({ ...failing, openUntil: now, probeUntil: now + 1 })).toBe(now + 1_000);
    expect(repeated({ ...failing, openUntil: now, probeUntil: now })).toBe('probe');
  });

  test('has a circuit that is closed, open while it rests, and half-open while or before a probe asks how it is', () => {
    const [closed, half] = ['closed', 'half_open'].map((state) => ({ state, openUntil: null }));
    const open = { state: 'open', openUntil: now + 1 };
    expect(circuitOf(failing, now)).toEqual(closed);
    expect(circuitOf({ ...failing, openUntil: now + 1 }, now)).toEqual(open);
    expect(circuitOf({ ...failing, openUntil: now + 1, probeUntil: now }, now)).toEqual(open);
    expect(circuitOf({ ...failing, openUntil: now + 1, probeUntil: now + 1 }, now)).toEqual(half);
    expect(circuitOf({ ...failing, openUntil: now }, now)).toEqual(half);
  });

  test('that rests is told of an alarm: the alarm is the probe, or waits for what comes of the one under way', () => {
    expect(alarm({ ...failing, openUntil: now + 60_000 })).toBe('probe');
    expect(alarm({ ...failing, openUntil: now + 60_000, probeUntil: now })).toBe('probe');
    expect(alarm({ ...failing, openUntil: now + 60_000, probeUntil: now + 1 })).toBe('result');
    expect(alarm({ ...failing, openUntil: now, probeUntil: now + 1 })).toBe('result');
  });

  test('gets those back that wait the more spread the longer it fails, by 5 minutes at most', () => {
    const spread = (consecutiveFailures: number) =>
      Number(repeated({ consecutiveFailures, openUntil: now + 1_000 }, 0.999_999)) - now - 1_000;
    expect(spread(10)).toBe(500);
    expect(spread(100)).toBe(5_000);
    expect(spread(1_000_000)).toBe(300_000);
  });

  test('rests after ten failures in a row, as long as the delivery that failed waits, 60 s at most', () => {
    expect(openUntilAfter(BREAKER_FAILURES - 1, 60_000, now)).toBeNull();
    expect(openUntilAfter(BREAKER_FAILURES, 1_000, now)).toBe(now + 1_000);
    expect(openUntilAfter(BREAKER_FAILURES, DAY, now)).toBe(now + 60_000);
    expect(openUntilAfter(BREAKER_FAILURES, 0, now)).toBeNull();
  });

  test('that takes 2 s to answer is a slow one for 10 minutes', () => {
    expect(slowUntil(1_999, now)).toBeNull();
    expect(slowUntil(2_000, now)).toBe(now + 600_000);
  });
});

test('a delivery is a new one for a minute after it is due, until its first attempt', () => {
  expect(isNew(0, now - 59_999, now)).toBe(true);
  expect(isNew(0, now - 60_000, now)).toBe(false);
  expect(isNew(1, now, now)).toBe(false);
});

describe('a success is news', () => {
  test('after trouble, and once a minute', () => {
    expect(isNewsOfSuccess({ ...well, lastSuccess: now - 59_999 }, now)).toBe(false);
    expect(isNewsOfSuccess({ ...well, lastSuccess: now - 60_000 }, now)).toBe(true);
    expect(isNewsOfSuccess({ consecutiveFailures: 1, lastSuccess: now }, now)).toBe(true);
    expect(isNewsOfSuccess({ ...well, lastSuccess: now, openUntil: 1 }, now)).toBe(true);
  });
});

describe('long trouble', () => {
  const lasting = (days: number, consecutiveFailures = 20, warnedAt?: number) =>
    verdictOn({ consecutiveFailures, failingSince: now - days * DAY, ...(warnedAt && { warnedAt }) }, now);
  test('is warned of once at half the time, and switches a webhook off after 5 days and 20 failures', () => {
    expect(lasting(2.4)).toBe('none');
    expect(lasting(2.5)).toBe('warn');
    expect(lasting(2.5, 20, now - DAY)).toBe('none');
    expect(lasting(5)).toBe('disable');
    expect(lasting(5, 19)).toBe('none');
  });
  test('is none when there was a success since', () => {
    expect(verdictOn({ consecutiveFailures: 0 }, now)).toBe('none');
  });
});
