import { describe, expect, test } from 'vitest';
import {
  Duty,
  DutyUpdate,
  dutyChanges,
  MAX_DUTY,
  OnDutyView,
  RosterPerson,
  reachingChannels,
  usersOnDuty,
} from '#shared/domain/people/duty.ts';
import { currentEntries, MAX_ENTRIES, Roster } from '#shared/domain/people/roster.ts';

const clock = { from: '22:00', to: '06:00' };
const weekly = { userId: 7, days: [1, 7], ...clock };
const dated = { userId: 8, date: '2026-12-24', ...clock };
const dayOff = { userId: 7, date: '2026-12-24', off: true as const };
const isRoster = (entry: object): boolean => Roster.safeParse([entry]).success;

describe('roster entries', () => {
  test('a roster entry is a weekly shift, a single shift or a day off', () => {
    expect(Roster.parse([weekly, dated, dayOff])).toEqual([weekly, dated, dayOff]);
  });
  test.each<object>([
    { ...weekly, date: '2026-12-24' },
    { ...weekly, off: true },
    { ...dated, off: true },
    { ...dayOff, off: false },
    { ...dayOff, from: '22:00' },
    { ...dayOff, to: '06:00' },
    { ...dayOff, days: [1] },
    { ...weekly, days: [] },
    { ...weekly, days: [8] },
    { ...weekly, from: '24:00' },
    { userId: 7, days: [1], from: '22:00' },
    { days: [1], ...clock },
    { userId: 7, ...clock },
    { ...dated, date: '24.12.2026' },
  ])('a roster entry that mixes kinds or lacks a field is rejected: %j', (entry) => {
    expect(isRoster(entry)).toBe(false);
  });
  test('a roster has at most 500 entries', () => {
    expect(Roster.safeParse(Array(MAX_ENTRIES).fill(dayOff)).success).toBe(true);
    expect(Roster.safeParse(Array(501).fill(dayOff)).success).toBe(false);
  });
  test('a dated entry is kept until its shift ends', () => {
    const entries = [weekly, dated, { ...dated, date: '2026-12-25' }];
    expect(currentEntries(entries, '2026-12-24')).toEqual(entries);
    expect(currentEntries(entries, '2026-12-25')).toEqual([weekly, { ...dated, date: '2026-12-25' }]);
  });
});

test('dutyChanges returns changes for about the next day', () => {
  const at = (text: string): number => Date.parse(`${text}:00Z`);
  const roster = [{ userId: 1, days: [1, 2, 3, 4, 5, 6, 7], from: '08:00', to: '16:00' }];
  const own = [
    { userId: 2, until: at('2027-01-04T12:00') },
    { userId: 3, until: at('2027-01-04T08:59') },
    { userId: 4 },
  ];
  const plan = { roster, own, timeZone: 'UTC' };
  expect(dutyChanges(plan, at('2027-01-04T09:00')).toSorted((a, b) => a - b)).toEqual(
    ['2027-01-04T12:00', '2027-01-04T16:00', '2027-01-05T08:00', '2027-01-05T16:00'].map(at),
  );
  expect(dutyChanges(plan, at('2027-01-04T12:00'))).not.toContain(at('2027-01-04T12:00'));
  expect(usersOnDuty(plan, at('2027-01-04T09:00')).map(({ userId }) => userId)).toEqual([1, 2]);
});

test('a person can be reached only through verified channels that have not bounced', () => {
  const verified = { address: 'a', provenDate: 5 };
  expect(
    reachingChannels([
      { by: 'email', ...verified },
      { by: 'sms', address: 'b', provenDate: null },
      { by: 'telegram', ...verified, undeliverableDate: 9 },
      { by: 'push', ...verified },
    ]),
  ).toEqual(['email', 'push']);
});

describe('duty API', () => {
  test('self-chosen duty lasts at most 24 hours', () => {
    expect(MAX_DUTY).toBe(24 * 60 * 60 * 1_000);
    expect(DutyUpdate.parse({ until: 5 })).toEqual({ until: 5 });
    expect(DutyUpdate.safeParse({}).success).toBe(false);
  });
  test('the duty API shows who is on duty, until when and why', () => {
    const reachableBy = ['sms'];
    const view = { userId: 1, name: 'Anna', until: 5, source: 'roster', reachableBy };
    for (const source of ['self', 'roster']) expect(OnDutyView.parse({ ...view, source })).toEqual({ ...view, source });
    for (const more of [{ source: 'other' }, { until: undefined }, { reachableBy: ['fax'] }])
      expect(OnDutyView.safeParse({ ...view, ...more }).success).toBe(false);
    expect(Duty.parse({ until: 5, reachableBy })).toEqual({ until: 5, reachableBy });
    expect(RosterPerson.parse({ userId: 1, name: 'Anna', reachableBy })).toEqual({
      userId: 1,
      name: 'Anna',
      reachableBy,
    });
  });
});
