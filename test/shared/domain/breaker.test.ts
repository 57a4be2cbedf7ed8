import { describe, expect, test } from 'vitest';
import {
  BREAKER_FAILURES,
  isNewsOfSuccess,
  permitOf,
  restUntil,
  slowUntil,
  verdictOn,
} from '../../../shared/domain/breaker.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const well = { consecutiveFailures: 0 };
const failing = { consecutiveFailures: BREAKER_FAILURES };

describe('a receiver', () => {
  test('that is well is called freely, one in trouble in its slots', () => {
    expect(permitOf(well, now, 0)).toBe('free');
    expect(permitOf({ consecutiveFailures: 1 }, now, 0)).toBe('watched');
    expect(permitOf({ ...well, slowUntil: now + 1 }, now, 0)).toBe('watched');
    expect(permitOf({ ...well, slowUntil: now }, now, 0)).toBe('free');
  });

  test('that rests is called by nobody, then by one probe, and by others only later', () => {
    expect(permitOf({ ...failing, openUntil: now + 5_000 }, now, 0)).toBe(now + 5_000);
    expect(permitOf({ ...failing, openUntil: now }, now, 0)).toBe('probe');
    expect(permitOf({ ...failing, openUntil: now, probeUntil: now + 1 }, now, 0)).toBe(now + 1_000);
    expect(permitOf({ ...failing, openUntil: now, probeUntil: now }, now, 0)).toBe('probe');
  });

  test('gets those back that wait the more spread the longer it fails, by 5 minutes at most', () => {
    const spread = (consecutiveFailures: number) =>
      Number(permitOf({ consecutiveFailures, openUntil: now + 1_000 }, now, 0.999_999)) - now - 1_000;
    expect(spread(10)).toBe(1_000);
    expect(spread(100)).toBe(10_000);
    expect(spread(1_000_000)).toBe(300_000);
  });

  test('rests after ten failures in a row, as long as the delivery that failed waits, 5 minutes at most', () => {
    expect(restUntil(BREAKER_FAILURES - 1, 60_000, now)).toBeNull();
    expect(restUntil(BREAKER_FAILURES, 1_000, now)).toBe(now + 1_000);
    expect(restUntil(BREAKER_FAILURES, DAY, now)).toBe(now + 300_000);
    expect(restUntil(BREAKER_FAILURES, 0, now)).toBeNull();
  });

  test('that takes 2 s to answer is a slow one for 10 minutes', () => {
    expect(slowUntil(1_999, now)).toBeNull();
    expect(slowUntil(2_000, now)).toBe(now + 600_000);
  });
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
