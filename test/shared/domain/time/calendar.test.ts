import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayAfterEnd, firstDay, lastDay, monthAfter, monthParts, startOfDay } from '#shared/domain/time/calendar.ts';
import { MonthOrDay } from '#shared/domain/time/day.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';

const at = (text: string) => Date.parse(text);

describe('months and days', () => {
  test('MonthOrDay accepts only existing months and days', () => {
    for (const good of ['2026-01', '2026-12', '2026-02-28', '2028-02-29', '2099-12-31'])
      expect(MonthOrDay.safeParse(good).success, good).toBe(true);
    for (const bad of ['', '2026', '2026-13', '2026-00', '2026-02-29', '2026-04-31', '2026-01-00', '2026-1', '1999-12'])
      expect(MonthOrDay.safeParse(bad).success, bad).toBe(false);
    expect(MonthOrDay.safeParse('2026-02-29').error?.issues).toMatchObject([{ params: { key: 'invalid' } }]);
  });

  test('firstDay, lastDay and dayAfterEnd accept months and days', () => {
    expect(firstDay('2026-02')).toBe('2026-02-01');
    expect(lastDay('2026-02')).toBe('2026-02-28');
    expect(dayAfterEnd('2026-12')).toBe('2027-01-01');
    expect([firstDay('2026-02-28'), lastDay('2026-02-28')]).toEqual(['2026-02-28', '2026-02-28']);
    expect(dayAfterEnd('2026-02-28')).toBe('2026-03-01');
    expect(monthAfter('2026-11', 3)).toBe('2027-02');
  });
});

describe('startOfDay', () => {
  test('startOfDay returns midnight in the time zone', () => {
    expect(startOfDay('2026-11-24', 'UTC')).toBe(at('2026-11-24T00:00:00Z'));
    expect(startOfDay('2026-11-24', 'Europe/Berlin')).toBe(at('2026-11-23T23:00:00Z'));
    expect(startOfDay('2026-07-01', 'Europe/Berlin')).toBe(at('2026-06-30T22:00:00Z'));
    expect(startOfDay('2026-01-01', 'Pacific/Kiritimati')).toBe(at('2025-12-31T10:00:00Z'));
    expect(startOfDay('2026-01-01', 'Asia/Kathmandu')).toBe(at('2025-12-31T18:15:00Z'));
  });

  test('startOfDay returns 01:00 if the clocks skip midnight', () => {
    // In Beirut, 2026-03-29 begins at 01:00 summer time.
    expect(startOfDay('2026-03-29', 'Asia/Beirut')).toBe(at('2026-03-28T22:00:00Z'));
    expect(wallTime(startOfDay('2026-03-29', 'Asia/Beirut'), 'Asia/Beirut').clock).toBe('01:00');
  });
});

describe('monthParts', () => {
  test('monthParts splits a time span into months', () => {
    expect(monthParts('2026-09-15', '2026-11-03', 'Europe/Berlin')).toEqual([
      { month: '2026-09', from: at('2026-09-14T22:00:00Z'), to: at('2026-09-30T22:00:00Z') },
      { month: '2026-10', from: at('2026-09-30T22:00:00Z'), to: at('2026-10-31T23:00:00Z') },
      { month: '2026-11', from: at('2026-10-31T23:00:00Z'), to: at('2026-11-02T23:00:00Z') },
    ]);
  });

  test('monthParts leaves no gaps', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Auckland'];
    const anyTime = fc.integer({ min: at('2020-01-15T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });
    fc.assert(
      fc.property(anyTime, fc.constantFrom(...zones), (time, zone) => {
        const { date } = wallTime(time, zone);
        const parts = monthParts(firstDay(monthAfter(date.slice(0, 7), -1)), dayAfterEnd(date), zone);
        for (const [index, part] of parts.entries()) if (index > 0) expect(part.from).toBe(parts[index - 1]?.to);
        expect(parts.filter(({ from, to }) => from <= time && time < to).map(({ month }) => month)).toEqual([
          date.slice(0, 7),
        ]);
      }),
    );
  });
});
