import { describe, expect, test } from 'vitest';
import { Schedule } from '#shared/domain/rule/schedule.ts';
import { dateAndTime, isScheduled, wallTime } from '#shared/domain/time/wall-time.ts';

const timeZone = 'Europe/Berlin';
const at = (text: string) => Date.parse(text);
const ALL = [1, 2, 3, 4, 5, 6, 7];
const schedule = (from: string, to: string, days = ALL) => ({ days, from, to, timeZone });

describe('schedules', () => {
  test('a schedule applies from the first minute until the end, in local time', () => {
    const day = schedule('08:00', '20:00');
    // Berlin is UTC+1 in winter, UTC+2 in summer.
    expect(isScheduled(day, at('2026-01-05T06:59:59Z'))).toBe(false);
    expect(isScheduled(day, at('2026-01-05T07:00:00Z'))).toBe(true);
    expect(isScheduled(day, at('2026-01-05T18:59:59Z'))).toBe(true);
    expect(isScheduled(day, at('2026-01-05T19:00:00Z'))).toBe(false);
    expect(isScheduled(day, at('2026-07-06T06:00:00Z'))).toBe(true);
    expect(isScheduled(day, at('2026-07-06T18:00:00Z'))).toBe(false);
  });
  test('a schedule that spans midnight belongs to the day it starts on', () => {
    const night = schedule('22:00', '06:00', [7]);
    expect(isScheduled(night, at('2026-01-04T20:59:00Z'))).toBe(false);
    expect(isScheduled(night, at('2026-01-04T21:00:00Z'))).toBe(true);
    expect(isScheduled(night, at('2026-01-05T04:59:00Z'))).toBe(true);
    expect(isScheduled(night, at('2026-01-05T05:00:00Z'))).toBe(false);
    expect(isScheduled(night, at('2026-01-05T21:00:00Z'))).toBe(false);
    expect(isScheduled(night, at('2026-01-04T02:00:00Z'))).toBe(false);
  });
  test('a schedule lasts a whole day if start and end are equal', () => {
    expect(isScheduled(schedule('08:00', '08:00'), at('2026-01-05T03:00:00Z'))).toBe(true);
    const monday = schedule('00:00', '00:00', [1]);
    expect(isScheduled(monday, at('2026-01-04T22:59:00Z'))).toBe(false);
    expect(isScheduled(monday, at('2026-01-04T23:00:00Z'))).toBe(true);
    expect(isScheduled(monday, at('2026-01-05T22:59:00Z'))).toBe(true);
    expect(isScheduled(monday, at('2026-01-05T23:00:00Z'))).toBe(false);
  });
  test('a schedule that lies within the hour skipped in spring never applies', () => {
    // 2026-03-29, a Sunday: 01:59:59 is followed by 03:00.
    const skipped = schedule('02:00', '03:00');
    for (let minute = 0; minute < 24 * 60; minute++)
      expect(isScheduled(skipped, at('2026-03-28T23:00:00Z') + minute * 60_000)).toBe(false);
    const night = schedule('22:00', '06:00', [6]);
    expect(isScheduled(night, at('2026-03-29T00:59:59Z'))).toBe(true);
    expect(isScheduled(night, at('2026-03-29T01:00:00Z'))).toBe(true);
    expect(isScheduled(night, at('2026-03-29T03:59:59Z'))).toBe(true);
    expect(isScheduled(night, at('2026-03-29T04:00:00Z'))).toBe(false);
  });
  test('a schedule applies twice in the hour repeated in autumn', () => {
    // 2026-10-25, a Sunday: 02:59:59 is followed by 02:00.
    const repeated = schedule('02:00', '03:00', [7]);
    const minutes = Array.from({ length: 24 * 60 }, (_, minute) => at('2026-10-24T22:00:00Z') + minute * 60_000);
    const held = minutes.filter((minute) => isScheduled(repeated, minute));
    expect(held.length).toBe(120);
    expect(held[0]).toBe(at('2026-10-25T00:00:00Z'));
    expect(held.at(-1)).toBe(at('2026-10-25T01:59:00Z'));
  });
});

describe('wallTime', () => {
  test('wallTime returns the ISO weekday, date and time in a time zone', () => {
    expect(wallTime(at('2026-01-04T23:30:00Z'), timeZone)).toEqual({ weekday: 1, date: '2026-01-05', clock: '00:30' });
    expect(wallTime(at('2026-01-04T23:30:00Z'), 'UTC')).toEqual({ weekday: 7, date: '2026-01-04', clock: '23:30' });
    expect(wallTime(at('2026-01-04T12:00:00Z'), 'Pacific/Kiritimati')).toMatchObject({ weekday: 1, clock: '02:00' });
  });
});

test('dateAndTime names the time zone only for UTC, under any alias', () => {
  const time = at('2026-01-04T23:30:00Z');
  expect(dateAndTime(time, timeZone)).toBe('2026-01-05 00:30');
  for (const utc of ['UTC', 'Etc/UTC', 'Zulu', 'utc']) expect(dateAndTime(time, utc)).toBe('2026-01-04 23:30 UTC');
  expect(dateAndTime(time, 'Africa/Accra')).toBe('2026-01-04 23:30');
});

describe('rule schedules', () => {
  test('a rule schedule covers one to seven weekdays', () => {
    for (const days of [[1], [7], ALL]) expect(Schedule.safeParse(schedule('08:00', '20:00', days)).success).toBe(true);
  });
  test.each([
    { days: [] },
    { days: [...ALL, 1] },
    { days: [0] },
    { days: [8] },
    { days: [1.5] },
    { from: '8:00' },
    { from: '24:00' },
    { to: '12:60' },
    { to: '12:00:00' },
    { timeZone: '' },
    { timeZone: '+02:00' },
    { timeZone: 'Europe/Nowhere' },
    { timeZone: 'Europe/Berlin '.repeat(20) },
  ])('a rule schedule with %j is rejected', (invalid) => {
    expect(Schedule.safeParse({ ...schedule('08:00', '20:00'), ...invalid }).success).toBe(false);
  });
  test('a rule schedule accepts IANA time zones', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])
      expect(Schedule.safeParse({ ...schedule('08:00', '20:00'), timeZone: zone }).success).toBe(true);
  });
});
