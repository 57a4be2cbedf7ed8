import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Schedule } from '#shared/domain/rule/schedule.ts';
import { isScheduled, wallTime } from '#shared/domain/time/wall-time.ts';
import { comingWeek, minutesOfWeek, type WeeklyHours, weeklyHours } from '#shared/domain/watch/week.ts';

const MINUTE = 60_000;
const MINUTES_OF_WEEK = 10_080;
const berlin = 'Europe/Berlin';
/** Mondays of three weeks: one in summer, one ending with clocks set forward, one ending with clocks set back. */
const starts = {
  summer: Date.parse('2026-07-06T00:00:00+02:00'),
  forward: Date.parse('2026-03-23T00:00:00+01:00'),
  back: Date.parse('2026-10-19T00:00:00+02:00'),
};

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom(0, 1, 15, 30, 59))
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
const zone = fc.constantFrom(berlin, 'UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Africa/Cairo');
const schedule: fc.Arbitrary<Schedule> = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
  from: clock,
  to: clock,
  timeZone: zone,
});

/** Returns the hours of the coming week that no schedule covers, computed as in the watch. */
const uncovered = (schedules: readonly Schedule[], now: number, timeZone: string): WeeklyHours[] => {
  const week = comingWeek(now, timeZone);
  const minutes = week.none().fill(1);
  for (const one of schedules) for (const [at, isIn] of week.scheduled(one).entries()) if (isIn) minutes[at] = 0;
  return minutes.includes(1) ? week.hoursOf(minutes) : [];
};

/** Returns the local minutes of the week that no schedule covers, checked one by one. Skipped minutes are left out. */
const bruteForce = (schedules: readonly Schedule[], now: number, timeZone: string) => {
  const minutes = new Map<string, boolean>();
  for (let at = 0; at < MINUTES_OF_WEEK + 120; at++) {
    const time = now + at * MINUTE;
    const { weekday, clock: text } = wallTime(time, timeZone);
    const isOpen = !schedules.some((one) => isScheduled(one, time));
    const key = `${weekday} ${text}`;
    minutes.set(key, isOpen || (minutes.get(key) ?? false));
  }
  return minutes;
};

const clockOf = (minute: number): string =>
  `${Math.floor(minute / 1_440) + 1} ${new Date(minute * MINUTE).toISOString().slice(11, 16)}`;

describe('weekly hours', () => {
  test('weekly hours cover the same minutes as the schedule', () => {
    fc.assert(
      fc.property(schedule, (one) => {
        const minutes = minutesOfWeek(one);
        // A week without clock changes, minute by minute.
        const monday = Date.parse('2026-07-06T00:00:00Z');
        const isIn = (at: number): boolean => isScheduled({ ...one, timeZone: 'UTC' }, monday + at * MINUTE);
        expect([...minutes.entries()].filter(([at, value]) => (value === 1) !== isIn(at))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test('weekly hours contain exactly the minutes they were built from', () => {
    fc.assert(
      fc.property(fc.array(schedule, { minLength: 1, maxLength: 4 }), (schedules) => {
        const minutes = new Uint8Array(MINUTES_OF_WEEK);
        for (const one of schedules) for (const [at, isIn] of minutesOfWeek(one).entries()) if (isIn) minutes[at] = 1;
        const again = new Uint8Array(MINUTES_OF_WEEK);
        for (const hours of weeklyHours(minutes))
          for (const [at, isIn] of minutesOfWeek(hours).entries()) if (isIn) again[at] = 1;
        expect(again).toEqual(minutes);
      }),
      { numRuns: 200 },
    );
  });
});

describe('hours without a rule', () => {
  const night = { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: berlin };

  test.each(Object.entries(starts))('a night-only rule leaves the daytime uncovered in every week: %s', (_, now) => {
    expect(uncovered([night], now, berlin)).toEqual([{ days: [1, 2, 3, 4, 5, 6, 7], from: '06:00', to: '21:00' }]);
  });

  test('uncovered hours are grouped by days with the same hours', () => {
    const weekend = { days: [6, 7], from: '00:00', to: '00:00', timeZone: berlin };
    const now = starts.summer + 3 * 86_400_000 + 12_345;
    expect(uncovered([night, weekend], now, berlin)).toEqual([{ days: [1, 2, 3, 4, 5], from: '06:00', to: '21:00' }]);
    expect(uncovered([weekend], now, berlin)).toEqual([{ days: [1, 2, 3, 4, 5], from: '00:00', to: '00:00' }]);
  });

  test('uncovered hours that begin at midnight list the days from Monday', () => {
    const rest = { ...night, from: '06:00', to: '00:00' };
    expect(uncovered([rest], starts.summer, berlin)).toEqual([{ days: night.days, from: '00:00', to: '06:00' }]);
  });

  test('an hour skipped when the clocks are set forward does not split uncovered hours', () => {
    const day = { ...night, from: '12:00', to: '00:00' };
    expect(uncovered([day], starts.forward, berlin)).toEqual([{ days: night.days, from: '00:00', to: '12:00' }]);
  });

  test('uncovered hours differ between seasons if the rule is in UTC', () => {
    const utc = { ...night, from: '00:00', to: '12:00', timeZone: 'UTC' };
    expect(uncovered([utc], starts.summer, berlin)).toEqual([{ ...night, from: '14:00', to: '02:00' }].map(hoursOnly));
    expect(uncovered([utc], Date.parse('2026-01-05T00:00:00+01:00'), berlin)).toEqual(
      [{ ...night, from: '13:00', to: '01:00' }].map(hoursOnly),
    );
  });

  test('two adjacent rules leave no uncovered hours, even when the clocks change', () => {
    const day = { ...night, from: '06:00', to: '21:00' };
    for (const now of Object.values(starts)) expect(uncovered([night, day], now, berlin)).toEqual([]);
  });

  test('uncovered hours match a minute-by-minute check in every time zone', () => {
    const begin = fc.tuple(fc.constantFrom(...Object.values(starts)), fc.integer({ min: 0, max: MINUTES_OF_WEEK }));
    fc.assert(
      fc.property(fc.array(schedule, { maxLength: 3 }), begin, zone, (schedules, [start, minutes], timeZone) => {
        const now = start + minutes * MINUTE;
        const found = new Uint8Array(MINUTES_OF_WEEK);
        for (const hours of uncovered(schedules, now, timeZone))
          for (const [at, isIn] of minutesOfWeek(hours).entries()) if (isIn) found[at] = 1;
        const expected = bruteForce(schedules, now, timeZone);
        const differing = [...found.entries()]
          .filter(([at]) => expected.has(clockOf(at)))
          .filter(([at, isIn]) => (isIn === 1) !== expected.get(clockOf(at)))
          .map(([at]) => clockOf(at));
        expect(differing).toEqual([]);
        // Only an hour skipped by the clocks has no minutes.
        expect(expected.size).toBeGreaterThanOrEqual(MINUTES_OF_WEEK - 60);
      }),
      { numRuns: 40 },
    );
  });
});

const hoursOnly = ({ days, from, to }: Schedule): WeeklyHours => ({ days, from, to });
