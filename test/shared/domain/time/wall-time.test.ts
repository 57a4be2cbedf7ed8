import { expect, test } from 'vitest';
import { dayAfter, daysOf, monthOf, weekdayOf } from '#shared/domain/time/calendar.ts';
import { clockTimes, scheduleChanges } from '#shared/domain/time/clock-times.ts';
import { Day } from '#shared/domain/time/day.ts';
import { readTime } from '#shared/domain/time/time.ts';
import { TimeZone } from '#shared/domain/time/time-zone.ts';
import { dateAndTime, dateTimeAndZone, wallTime } from '#shared/domain/time/wall-time.ts';

const berlin = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);

test('a clock time occurs twice on a day when that hour is repeated', () => {
  const times = (date: string, clock: string, zone = berlin) => {
    const { first, last } = clockTimes(date, clock, zone);
    return [new Date(first).toISOString(), new Date(last).toISOString()];
  };
  expect(times('2026-07-01', '08:30')).toEqual(Array(2).fill('2026-07-01T06:30:00.000Z'));
  expect(times('2026-01-01', '08:30')).toEqual(Array(2).fill('2026-01-01T07:30:00.000Z'));
  expect(times('2026-10-25', '02:30')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
  expect(times('2026-10-25', '03:00')).toEqual(Array(2).fill('2026-10-25T02:00:00.000Z'));
  for (const clock of ['02:00', '02:01', '02:30', '02:59', '03:00'])
    expect([clock, times('2026-03-29', clock)]).toEqual([clock, Array(2).fill('2026-03-29T01:00:00.000Z')]);
  expect(times('2026-03-29', '01:59')).toEqual(Array(2).fill('2026-03-29T00:59:00.000Z'));
  expect(times('2026-01-01', '00:00', 'Pacific/Kiritimati')).toEqual(Array(2).fill('2025-12-31T10:00:00.000Z'));
  expect(times('2026-03-29', '00:30', 'Asia/Beirut')).toEqual(Array(2).fill('2026-03-28T22:00:00.000Z'));
});

test('scheduleChanges returns the times when a schedule can next begin or end', () => {
  const day = { from: '08:00', to: '20:00', timeZone: 'UTC' };
  const changes = (time: string) =>
    [...new Set(scheduleChanges(day, at(time)))].map((change) => new Date(change).toISOString().slice(5, 16));
  expect(changes('2026-01-05T07:59:59Z')).toEqual(['01-05T08:00', '01-05T20:00', '01-06T08:00', '01-06T20:00']);
  expect(changes('2026-01-05T08:00:00Z')).toEqual(['01-05T20:00', '01-06T08:00', '01-06T20:00']);
  expect(changes('2026-01-05T20:00:00Z')).toEqual(['01-06T08:00', '01-06T20:00']);
  const repeated = scheduleChanges({ from: '02:30', to: '06:00', timeZone: berlin }, at('2026-10-25T00:30:00Z'));
  expect(repeated).toContain(at('2026-10-25T01:30:00Z'));
  expect(repeated).not.toContain(at('2026-10-25T00:30:00Z'));
});

test('wallTime returns the weekday, date and clock time', () => {
  expect(wallTime(at('2026-01-04T22:59:59Z'), berlin)).toEqual({ weekday: 7, date: '2026-01-04', clock: '23:59' });
  expect(wallTime(at('2026-01-04T23:00:00Z'), berlin)).toEqual({ weekday: 1, date: '2026-01-05', clock: '00:00' });
  expect(['2026-01-04', '2026-01-05', '2026-01-10'].map(weekdayOf)).toEqual([7, 1, 6]);
});

test('dateAndTime names the time zone only for UTC', () => {
  const time = at('2026-07-01T10:00:00Z');
  expect([dateAndTime(time, berlin), dateTimeAndZone(time, berlin)]).toEqual([
    '2026-07-01 12:00',
    '2026-07-01 12:00 Europe/Berlin',
  ]);
  for (const zone of ['UTC', 'Etc/UTC', 'Zulu'])
    for (const text of [dateAndTime, dateTimeAndZone]) expect(text(time, zone)).toBe('2026-07-01 10:00 UTC');
});

test.each([
  ['2026-11-22T10:00Z', '2026-11-22T10:00:00.000Z'],
  ['2026-11-22T10:00:01Z', '2026-11-22T10:00:01.000Z'],
  ['2026-11-22T10:00:00.5Z', '2026-11-22T10:00:00.500Z'],
  ['2026-11-22T10:00:00.123+02:00', '2026-11-22T08:00:00.123Z'],
  ['2026-11-22T10:00-00:30', '2026-11-22T10:30:00.000Z'],
])('readTime reads %s as %s', (text, utc) => {
  expect(readTime(text)).toBe(at(utc));
});

test.each([
  '',
  '2026-11-22',
  '2026-11-22T10:00',
  '2026-11-22T10:00:00',
  '2026-11-22 10:00Z',
  '2026-11-22T10Z',
  '2026-11-22T10:00:00.1234Z',
  '2026-13-22T10:00Z',
  ' 2026-11-22T10:00Z',
  '2026-11-22T10:00Z ',
  '2026-11-22T10:00+0200',
])('readTime returns null for %j', (text) => {
  expect(readTime(text)).toBeNull();
});

test('TimeZone accepts known names and rejects offsets', () => {
  for (const good of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
    expect([good, TimeZone.safeParse(good).success]).toEqual([good, true]);
  for (const bad of ['', '+02:00', 'Nowhere', 'Europe/', `E${'u'.repeat(64)}`])
    expect([bad, TimeZone.safeParse(bad).success]).toEqual([bad, false]);
  const { error } = TimeZone.safeParse('Nowhere');
  expect(error?.issues).toMatchObject([{ params: { key: 'time_zone' } }]);
});

test('Day accepts existing dates and rejects months', () => {
  for (const good of ['2026-01-01', '2028-02-29', '2026-12-31']) expect(Day.safeParse(good).success).toBe(true);
  for (const bad of ['2026-01', '2026-02-29', '1999-01-01', '2026-04-31', 'x2026-01-01', '2026-01-011'])
    expect([bad, Day.safeParse(bad).success]).toEqual([bad, false]);
  expect(Day.safeParse('2026-02-30').error?.issues).toMatchObject([{ params: { key: 'invalid' } }]);
});

test('each day in a time span starts at local midnight', () => {
  const span = { from: at('2026-10-24T10:00:00Z'), to: at('2026-10-26T05:00:00Z') };
  expect(daysOf({ month: '2026-10', ...span }, berlin)).toEqual([
    { date: '2026-10-24', from: span.from, to: at('2026-10-24T22:00:00Z') },
    { date: '2026-10-25', from: at('2026-10-24T22:00:00Z'), to: at('2026-10-25T23:00:00Z') },
    { date: '2026-10-26', from: at('2026-10-25T23:00:00Z'), to: span.to },
  ]);
  expect(daysOf({ month: '2026-10', from: 5, to: 5 }, 'UTC')).toEqual([]);
});

test('dayAfter and monthOf follow the calendar in local time', () => {
  expect([dayAfter('2026-02-28'), dayAfter('2026-03-01', -1), dayAfter('2026-12-31', 2)]).toEqual([
    '2026-03-01',
    '2026-02-28',
    '2027-01-02',
  ]);
  expect(monthOf(at('2026-10-31T23:00:00Z'), berlin)).toBe('2026-11');
  expect(monthOf(at('2026-10-31T22:59:59Z'), berlin)).toBe('2026-10');
});
