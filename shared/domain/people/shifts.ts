import { dayAfter, weekdayOf } from '../time/calendar.ts';
import { clockTimes } from '../time/clock-times.ts';
import type { RosterEntry } from './roster.ts';

/** A user's own choice: until when (ms) they are on duty; or since when (ms) not, which ends shifts that had begun. */
export type OwnDuty = { userId: number; until?: number; offSince?: number };
/** Everything that decides who is on duty. `timeZone` is that of the customer. */
export type DutyPlan = { own: readonly OwnDuty[]; roster: readonly RosterEntry[]; timeZone: string };
/** A shift of a user, from a time (ms) up to, but not including, another one. */
export type Shift = { userId: number; start: number; end: number };

/**
 * Returns the shifts that begin on some days. When clocks are set back, a shift begins the first time that they show its
 * beginning and ends the last time that they show its end, so that nobody is missing between two shifts.
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
