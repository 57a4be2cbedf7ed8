import { dayAfter, weekdayOf } from '../time/calendar.ts';
import { clockTimes } from '../time/clock-times.ts';
import type { RosterEntry } from './roster.ts';

/**
 * A user's own choice: on duty until `until` (ms), or off duty since `offSince` (ms), which ends any shift that began
 * earlier.
 */
export type OwnDuty = { userId: number; until?: number; offSince?: number };
/** Everything that decides who is on duty. `timeZone` is the customer's time zone. */
export type DutyPlan = { own: readonly OwnDuty[]; roster: readonly RosterEntry[]; timeZone: string };
/** A user's shift, from `start` (ms) up to, but not including, `end`. */
export type Shift = { userId: number; start: number; end: number };

/**
 * Returns the shifts that begin on `days`. When clocks are set back and show a time twice, shifts start the first time
 * it is shown and end the last time, which leaves no gaps between consecutive shifts.
 */
export const shiftsOn = (
  days: readonly string[],
  { roster, timeZone }: Pick<DutyPlan, 'roster' | 'timeZone'>,
): Shift[] => {
  const known = new Map<string, ReturnType<typeof clockTimes>>();
  const timesAt = (day: string, clock: string) => {
    const key = `${day} ${clock}`;
    const times = known.get(key) ?? clockTimes(day, clock, timeZone);
    known.set(key, times);
    return times;
  };
  const replaced = new Set(roster.flatMap(({ userId, date }) => (date === undefined ? [] : [`${userId} ${date}`])));
  const isOn = (entry: RosterEntry, day: string): boolean =>
    entry.date === undefined
      ? entry.days.includes(weekdayOf(day)) && !replaced.has(`${entry.userId} ${day}`)
      : entry.date === day;
  return days.flatMap((day) =>
    roster.flatMap((entry) => {
      if (entry.off || !isOn(entry, day)) return [];
      const { userId, from, to } = entry;
      const lastDay = from < to ? day : dayAfter(day);
      return [{ userId, start: timesAt(day, from).first, end: timesAt(lastDay, to).last }];
    }),
  );
};
