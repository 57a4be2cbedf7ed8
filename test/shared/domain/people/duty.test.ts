import { describe, expect, test } from 'vitest';
import { usersOnDuty } from '#shared/domain/people/duty.ts';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import type { DutyPlan, OwnDuty } from '#shared/domain/people/shifts.ts';

const HOUR = 3_600_000;
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const at = (text: string): number => Date.parse(`${text}:00Z`);
const planOf = (roster: RosterEntry[], timeZone = 'UTC', own: OwnDuty[] = []): DutyPlan => ({ own, roster, timeZone });
const idsAt = (plan: DutyPlan, text: string): number[] => usersOnDuty(plan, at(text)).map(({ userId }) => userId);

describe('weekly shifts', () => {
  // 2027-01-04 is a Monday.
  const weekdays = planOf([{ userId: 1, days: [1, 2], from: '08:00', to: '16:00' }]);

  test('a weekly shift puts the user on duty from the first minute until the end', () => {
    expect(usersOnDuty(weekdays, at('2027-01-04T08:00'))).toEqual([
      { userId: 1, until: at('2027-01-04T16:00'), source: 'roster' },
    ]);
    expect(idsAt(weekdays, '2027-01-04T07:59')).toEqual([]);
    expect(idsAt(weekdays, '2027-01-05T15:59')).toEqual([1]);
    expect(idsAt(weekdays, '2027-01-05T16:00')).toEqual([]);
    expect(idsAt(weekdays, '2027-01-06T12:00')).toEqual([]);
  });

  test('a weekly shift continues past midnight, even from Sunday to Monday and into a new year', () => {
    const nights = planOf([{ userId: 1, days: [4, 7], from: '22:00', to: '06:00' }]);
    expect(idsAt(nights, '2027-01-04T05:59')).toEqual([1]);
    expect(idsAt(nights, '2027-01-04T06:00')).toEqual([]);
    expect(usersOnDuty(nights, at('2026-12-31T23:00'))).toMatchObject([{ until: at('2027-01-01T06:00') }]);
    expect(idsAt(nights, '2027-01-01T05:00')).toEqual([1]);
  });

  test('a weekly shift with equal start and end lasts a whole day', () => {
    const days = planOf([{ userId: 1, days: [1], from: '08:00', to: '08:00' }]);
    expect(usersOnDuty(days, at('2027-01-05T07:59'))).toMatchObject([{ until: at('2027-01-05T08:00') }]);
    expect(idsAt(days, '2027-01-05T08:00')).toEqual([]);
  });

  test("a weekly shift follows the customer's time zone", () => {
    const auckland = planOf([{ userId: 1, days: [1], from: '08:00', to: '16:00' }], 'Pacific/Auckland');
    expect(idsAt(auckland, '2027-01-03T19:00')).toEqual([1]);
    expect(idsAt(auckland, '2027-01-04T08:00')).toEqual([]);
  });

  test('overlapping shifts keep a user on duty until the last one ends', () => {
    const plan = planOf([
      { userId: 2, days: [1], from: '08:00', to: '12:00' },
      { userId: 2, days: [1], from: '09:00', to: '14:00' },
      { userId: 1, days: [1], from: '08:00', to: '10:00' },
    ]);
    expect(usersOnDuty(plan, at('2027-01-04T09:30'))).toMatchObject([
      { userId: 1, until: at('2027-01-04T10:00') },
      { userId: 2, until: at('2027-01-04T14:00') },
    ]);
  });
});

test('going off duty does not affect earlier shifts', () => {
  const roster = [{ userId: 1, days: ALL_DAYS, from: '08:00', to: '16:00' }];
  const plan = planOf(roster, 'UTC', [{ userId: 1, offSince: at('2027-01-07T12:00') }]);
  expect(idsAt(plan, '2027-01-05T09:00')).toEqual([1]);
  expect(idsAt(plan, '2027-01-06T09:00')).toEqual([1]);
  expect(idsAt(plan, '2027-01-07T12:01')).toEqual([]);
});

describe('dated roster entries', () => {
  const weekly = { userId: 1, days: ALL_DAYS, from: '22:00', to: '06:00' };

  test("a dated entry replaces the user's weekly shifts on that day", () => {
    const dated = { userId: 1, date: '2027-01-05', from: '10:00', to: '12:00' };
    const plan = planOf([weekly, { ...weekly, userId: 2 }, dated]);
    expect(idsAt(plan, '2027-01-05T05:00')).toEqual([1, 2]);
    expect(idsAt(plan, '2027-01-05T11:00')).toEqual([1]);
    expect(idsAt(plan, '2027-01-05T23:00')).toEqual([2]);
    expect(idsAt(plan, '2027-01-06T05:00')).toEqual([2]);
    expect(idsAt(plan, '2027-01-06T23:00')).toEqual([1, 2]);
  });

  test('a dated entry can be a day off', () => {
    const plan = planOf([weekly, { userId: 1, date: '2027-01-05', off: true }]);
    expect(idsAt(plan, '2027-01-05T05:00')).toEqual([1]);
    expect(idsAt(plan, '2027-01-05T23:00')).toEqual([]);
    expect(idsAt(plan, '2027-01-06T05:00')).toEqual([]);
    expect(idsAt(plan, '2027-01-06T22:00')).toEqual([1]);
  });

  test('a dated entry can continue past midnight', () => {
    const plan = planOf([{ userId: 1, date: '2027-01-05', from: '22:00', to: '06:00' }]);
    expect(idsAt(plan, '2027-01-06T05:59')).toEqual([1]);
    expect(idsAt(plan, '2027-01-05T05:59')).toEqual([]);
  });
});

describe('clock changes', () => {
  // In Berlin, clocks are set ahead from 02:00 to 03:00 on 2027-03-28, and back from 03:00 to 02:00 on 2027-10-31.
  const berlin = (...roster: RosterEntry[]) => planOf(roster, 'Europe/Berlin');
  const night = berlin({ userId: 1, days: ALL_DAYS, from: '22:00', to: '06:00' });

  test('a night shift gets an hour shorter or longer when the clocks change', () => {
    expect(idsAt(night, '2027-03-27T21:00')).toEqual([1]);
    expect(idsAt(night, '2027-03-28T03:59')).toEqual([1]);
    expect(idsAt(night, '2027-03-28T04:00')).toEqual([]);
    expect(idsAt(night, '2027-10-30T20:00')).toEqual([1]);
    expect(idsAt(night, '2027-10-31T04:59')).toEqual([1]);
    expect(idsAt(night, '2027-10-31T05:00')).toEqual([]);
  });

  test('adjacent shifts leave no gap when the clocks change', () => {
    const plan = berlin(
      { userId: 1, days: ALL_DAYS, from: '22:00', to: '02:30' },
      { userId: 2, days: ALL_DAYS, from: '02:30', to: '06:00' },
    );
    expect(idsAt(plan, '2027-03-28T00:59')).toEqual([1]);
    expect(idsAt(plan, '2027-03-28T01:00')).toEqual([2]);
    expect(idsAt(plan, '2027-10-31T00:29')).toEqual([1]);
    expect(idsAt(plan, '2027-10-31T00:30')).toEqual([1, 2]);
    expect(idsAt(plan, '2027-10-31T01:29')).toEqual([1, 2]);
    expect(idsAt(plan, '2027-10-31T01:30')).toEqual([2]);
    for (const day of ['2027-03-28', '2027-10-31'])
      for (let time = at(`${day}T00:00`) - 2 * HOUR; time < at(`${day}T04:00`); time += 60_000)
        expect([new Date(time), usersOnDuty(plan, time).length]).not.toContain(0);
  });

  test('a shift within the skipped hour is empty', () => {
    const plan = berlin({ userId: 1, date: '2027-03-28', from: '02:10', to: '02:50' });
    for (let time = at('2027-03-28T00:00'); time < at('2027-03-28T03:00'); time += 60_000)
      expect(usersOnDuty(plan, time)).toEqual([]);
  });
});

describe('self-chosen duty', () => {
  const roster: RosterEntry[] = [{ userId: 1, days: ALL_DAYS, from: '08:00', to: '16:00' }];

  test("self-chosen duty does not end before the user's shift does", () => {
    const until = (text: string) => planOf(roster, 'UTC', [{ userId: 1, until: at(text) }]);
    expect(usersOnDuty(until('2027-01-04T12:00'), at('2027-01-04T09:00'))).toEqual([
      { userId: 1, until: at('2027-01-04T16:00'), source: 'roster' },
    ]);
    expect(usersOnDuty(until('2027-01-04T18:00'), at('2027-01-04T09:00'))).toEqual([
      { userId: 1, until: at('2027-01-04T18:00'), source: 'self' },
    ]);
    expect(idsAt(until('2027-01-04T18:00'), '2027-01-04T18:00')).toEqual([]);
  });

  test('a user who goes off duty stays off until the next shift', () => {
    const off = planOf(roster, 'UTC', [{ userId: 1, offSince: at('2027-01-04T09:00') }]);
    expect(idsAt(off, '2027-01-04T09:00')).toEqual([]);
    expect(idsAt(off, '2027-01-04T15:59')).toEqual([]);
    expect(idsAt(off, '2027-01-05T08:00')).toEqual([1]);
    // This also holds for a shift that has just begun.
    expect(idsAt(planOf(roster, 'UTC', [{ userId: 1, offSince: at('2027-01-04T08:00') }]), '2027-01-04T08:00')).toEqual(
      [],
    );
  });

  test('a user can go on duty again after going off duty', () => {
    const own = { userId: 1, offSince: at('2027-01-04T09:00'), until: at('2027-01-04T11:00') };
    const plan = planOf(roster, 'UTC', [own]);
    expect(usersOnDuty(plan, at('2027-01-04T10:00'))).toEqual([{ userId: 1, until: own.until, source: 'self' }]);
    expect(idsAt(plan, '2027-01-04T11:00')).toEqual([]);
  });
});
