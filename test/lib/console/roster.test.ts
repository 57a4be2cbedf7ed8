import { describe, expect, test } from 'vitest';
import type { RosterEntry } from '#shared/domain/people/roster.ts';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/roster/', import.meta.url).pathname;
type Hours = { from: string; to: string };
type Shift = Hours & { userId: number; date: string; isWeekly: boolean };
type Entries = readonly RosterEntry[];
const entries = (await import(`${folder}entries.ts`)) as {
  shiftsOf: (entries: Entries, userId: number, date: string) => Shift[];
  withShift: (entries: Entries, userId: number, date: string, hours: Hours) => RosterEntry[];
  withoutShift: (entries: Entries, shift: Shift) => RosterEntry[];
  withDayOff: (entries: Entries, userId: number, date: string) => RosterEntry[];
  withWeeklyDay: (entries: Entries, userId: number, date: string) => RosterEntry[];
  withWeeklyShift: (entries: Entries, userId: number, days: number[], hours: Hours) => RosterEntry[];
  withoutWeeklyShift: (entries: Entries, shift: Shift) => RosterEntry[];
  withMovedShift: (entries: Entries, shift: Shift, userId: number, date: string) => RosterEntry[];
  withCopiedDays: (entries: Entries, dates: string[], daysLater: number) => RosterEntry[];
  usualHours: (entries: Entries) => Hours[];
  rosteredFirst: (people: { userId: number }[], entries: Entries) => { userId: number }[];
};
type Span = { from: number; to: number; coverage: string };
const { coverageOf, dutyRules, gapsIn, spansBetween } = (await import(`${folder}coverage.ts`)) as {
  coverageOf: (days: string[], plan: object) => Span[];
  dutyRules: (rules: object[]) => object[];
  gapsIn: (spans: Span[], now: number) => Span[];
  spansBetween: (spans: Span[], from: number, to: number) => Span[];
};

const [ANNA, BEN] = [1, 2];
/** A Monday. */
const MONDAY = '2026-11-23';
const TUESDAY = '2026-11-24';
const NEXT_MONDAY = '2026-11-30';
const night = { from: '21:00', to: '06:00' };
const early = { from: '06:00', to: '14:00' };
const late = { from: '14:00', to: '21:00' };
const weekly: Entries = [{ userId: ANNA, days: [1, 2], ...night }];

const shiftOf = (roster: Entries, userId: number, date: string, at = 0): Shift =>
  entries.shiftsOf(roster, userId, date)[at] ?? expect.unreachable();
const hoursOf = (roster: Entries, userId: number, date: string) =>
  entries.shiftsOf(roster, userId, date).map(({ from, to }) => `${from}-${to}`);

describe('a change to one day', () => {
  test('adds a shift without replacing the weekly ones', () => {
    const roster = entries.withShift(weekly, ANNA, MONDAY, early);
    expect(hoursOf(roster, ANNA, MONDAY)).toEqual(['06:00-14:00', '21:00-06:00']);
    expect(hoursOf(roster, ANNA, NEXT_MONDAY)).toEqual(['21:00-06:00']);
  });

  test('leaves no entry behind once the day matches the weekly shifts', () => {
    const roster = entries.withShift(weekly, ANNA, MONDAY, early);
    expect(entries.withoutShift(roster, shiftOf(roster, ANNA, MONDAY))).toEqual(weekly);
    expect(entries.withWeeklyDay(roster, ANNA, MONDAY)).toEqual(weekly);
  });

  test("replaces the day's only shift with a day off, so the weekly shift does not return", () => {
    const roster = entries.withoutShift(weekly, shiftOf(weekly, ANNA, MONDAY));
    expect(roster).toEqual([...weekly, { userId: ANNA, date: MONDAY, off: true }]);
    expect(hoursOf(roster, ANNA, MONDAY)).toEqual([]);
  });

  test('moves a weekly shift to another person for this day only', () => {
    const roster = entries.withMovedShift(weekly, shiftOf(weekly, ANNA, MONDAY), BEN, TUESDAY);
    expect([hoursOf(roster, ANNA, MONDAY), hoursOf(roster, BEN, TUESDAY)]).toEqual([[], ['21:00-06:00']]);
    expect([hoursOf(roster, ANNA, NEXT_MONDAY), hoursOf(roster, BEN, '2026-12-01')]).toEqual([['21:00-06:00'], []]);
  });

  test('keeps a manual day off even without a weekly shift', () => {
    expect(entries.withDayOff([], BEN, MONDAY)).toEqual([{ userId: BEN, date: MONDAY, off: true }]);
  });
});

describe('a change to every week', () => {
  test('combines days with the same hours into one entry', () => {
    expect(entries.withWeeklyShift(weekly, ANNA, [4, 2], night)).toEqual([{ userId: ANNA, days: [1, 2, 4], ...night }]);
    expect(entries.withWeeklyShift(weekly, ANNA, [4], late)).toHaveLength(2);
  });

  test('deletes a weekly entry along with its last day', () => {
    const once = entries.withoutWeeklyShift(weekly, shiftOf(weekly, ANNA, MONDAY));
    expect(once).toEqual([{ userId: ANNA, days: [2], ...night }]);
    expect(entries.withoutWeeklyShift(once, shiftOf(once, ANNA, TUESDAY))).toEqual([]);
  });

  test('suggests the most common hours first', () => {
    const roster = entries.withShift(entries.withShift(weekly, BEN, MONDAY, early), BEN, TUESDAY, early);
    expect(entries.usualHours(roster)).toEqual([early, night]);
  });
});

test("copying a week replaces the other week's shifts and days off", () => {
  const off = entries.withDayOff(weekly, ANNA, TUESDAY);
  const source = entries.withShift(off, BEN, MONDAY, early);
  const before = entries.withShift(source, ANNA, NEXT_MONDAY, late);
  const copied = entries.withCopiedDays(before, [MONDAY, TUESDAY], 7);
  const nextTuesday = '2026-12-01';
  expect([ANNA, BEN].map((user) => [hoursOf(copied, user, NEXT_MONDAY), hoursOf(copied, user, nextTuesday)])).toEqual([
    [['21:00-06:00'], []],
    [['06:00-14:00'], []],
  ]);
  expect(entries.withCopiedDays(copied, [MONDAY, TUESDAY], 7)).toEqual(expect.arrayContaining(copied));
});

describe('roster coverage', () => {
  const at = (text: string) => Date.parse(text);
  const timeZone = 'Europe/Berlin';
  const reachable = (userId: number, ...reachableBy: string[]) => ({ userId, name: String(userId), reachableBy });
  const rule = (changes: object = {}) => ({
    name: 'Falls',
    situation: 'fall_detected',
    isEnabled: true,
    schedule: null,
    recipients: [{ onDuty: true, by: 'sms' }],
    ...changes,
  });
  const planOf = (changes: object = {}) => ({
    roster: [
      { userId: ANNA, days: [1, 2, 3, 4, 5, 6, 7], ...night },
      { userId: BEN, days: [1, 2, 3, 4, 5, 6, 7], ...early },
    ],
    timeZone,
    people: [reachable(ANNA, 'sms'), reachable(BEN, 'sms')],
    rules: dutyRules([rule()]),
    onDuty: [],
    now: at('2026-11-20T00:00Z'),
    ...changes,
  });
  const hours = (spans: Span[]) =>
    spans.map(
      ({ from, to, coverage }) => `${new Date(from).toISOString().slice(5, 13)} ${(to - from) / 3_600_000} ${coverage}`,
    );

  test('coverage includes the night before and shows hours with no one on duty', () => {
    expect(hours(coverageOf([MONDAY], planOf()))).toEqual([
      '11-22T23 14 covered',
      '11-23T13 7 nobody',
      '11-23T20 3 covered',
    ]);
  });

  test("coverage shows hours when no one on duty can be reached through the rule's channels", () => {
    const people = [reachable(ANNA, 'sms'), reachable(BEN, 'email')];
    expect(hours(coverageOf([MONDAY], planOf({ people })))).toEqual([
      '11-22T23 6 covered',
      '11-23T05 8 unreachable',
      '11-23T13 7 nobody',
      '11-23T20 3 covered',
    ]);
  });

  test("coverage requires someone on duty only while a rule's schedule applies", () => {
    const schedule = { days: [1], from: '12:00', to: '18:00', timeZone };
    const spans = coverageOf([MONDAY], planOf({ rules: dutyRules([rule({ schedule })]) }));
    expect(hours(spans)).toEqual(['11-22T23 14 covered', '11-23T13 4 nobody', '11-23T17 3 free', '11-23T20 3 covered']);
  });

  test('coverage counts enabled rules for urgent situations that notify people on duty', () => {
    const person = { userId: ANNA, by: 'sms' };
    const step = { afterSeconds: 60, recipients: [{ onDuty: true, by: 'push' }] };
    const rules = [
      rule({ isEnabled: false }),
      rule({ situation: 'door_entered' }),
      rule({ recipients: [person] }),
      rule({ recipients: [person], escalation: [step] }),
    ];
    expect(dutyRules(rules)).toEqual([{ name: 'Falls', schedule: null, channels: ['push'] }]);
  });

  test('coverage reflects users who went on or off duty themselves', () => {
    const now = at('2026-11-23T10:00Z');
    const late = { userId: ANNA, until: at('2026-11-23T18:00Z'), source: 'self' };
    expect(hours(gapsIn(coverageOf([MONDAY], planOf({ now, onDuty: [late] })), now))).toEqual(['11-23T18 2 nobody']);
    // Ben has gone off duty, although his shift has begun.
    expect(hours(gapsIn(coverageOf([MONDAY], planOf({ now })), now))).toEqual(['11-23T10 10 nobody']);
  });

  test('coverage spans 23 or 25 hours on days with a clock change', () => {
    const lengthOf = (day: string) => coverageOf([day], planOf()).reduce((sum, { from, to }) => sum + to - from, 0);
    expect(['2026-03-29', '2026-10-25'].map((day) => lengthOf(day) / 3_600_000)).toEqual([23, 25]);
    const autumn = coverageOf(['2026-10-25'], planOf());
    expect(spansBetween(autumn, at('2026-10-24T22:00Z'), at('2026-10-25T05:00Z')).map((span) => span.coverage)).toEqual(
      ['covered'],
    );
  });
});

test('lists people on the roster before other users', () => {
  const people = [{ userId: BEN }, { userId: 3 }, { userId: ANNA }];
  expect(entries.rosteredFirst(people, weekly)).toEqual([{ userId: ANNA }, { userId: BEN }, { userId: 3 }]);
});
