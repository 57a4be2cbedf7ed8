import * as z from 'zod';
import { Schedule } from '../rule/schedule.ts';
import { Day } from '../time/day.ts';
import { id } from '../values.ts';

/** The maximum number of entries in a roster. */
export const MAX_ENTRIES = 500;
/** How many days in the future a single-day entry can be. */
export const MAX_DAYS_AHEAD = 62;

const { days, from, to } = Schedule.shape;
const userId = id.meta({ description: "one of the customer's users who may log in" });
const clock = {
  from: from.meta({ description: "in the customer's time zone" }),
  to: to.meta({ description: 'on the next day if it is not after `from`' }),
};
const date = Day.meta({ description: `the day the shift begins, at most ${MAX_DAYS_AHEAD} days ahead` });
/** An entry that mixes fields from two kinds is rejected, because only one kind would count. */
const none = z.never().optional();

const WeeklyShift = z.object({ userId, days, ...clock, date: none, off: none }).meta({ id: 'WeeklyShift' });
const DatedShift = z.object({ userId, date, ...clock, days: none, off: none }).meta({ id: 'DatedShift' });
const DayOff = z
  .object({ userId, date, off: z.literal(true), days: none, from: none, to: none })
  .meta({ id: 'DayOff' });

/** A roster entry: weekly shifts, a shift on one day, or a day off. */
const RosterEntry = z.union([WeeklyShift, DatedShift, DayOff]).meta({
  id: 'RosterEntry',
  description:
    "Weekly shifts, a shift on one day, or a day off. An entry for one day replaces the user's weekly shifts that " +
    'begin on that day.',
});
export type RosterEntry = z.output<typeof RosterEntry>;

/** The roster: who is on duty when, in the customer's time zone. */
export const Roster = z
  .array(RosterEntry)
  .max(MAX_ENTRIES)
  .meta({
    id: 'Roster',
    examples: [
      [
        { userId: 7, days: [1, 2, 3, 4, 5], from: '22:00', to: '06:00' },
        { userId: 8, date: '2026-12-24', from: '22:00', to: '06:00' },
        { userId: 7, date: '2026-12-24', off: true },
      ],
    ],
  });

/** Returns the entries, excluding those for days before `yesterday`. Yesterday's shift may end today. */
export const currentEntries = (entries: readonly RosterEntry[], yesterday: string): RosterEntry[] =>
  entries.filter(({ date }) => date === undefined || date >= yesterday);
