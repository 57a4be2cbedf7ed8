import type { Schedule } from '../rule/schedule.ts';
import { dayAfter } from './calendar.ts';
import { wallTime } from './wall-time.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const asUtc = (date: string, clock: string): number => Date.parse(`${date}T${clock}:00Z`);
/** Returns a time zone's UTC offset (ms) at the given time (ms), which must be a whole minute. */
const offsetAt = (time: number, timeZone: string): number => {
  const { date, clock } = wallTime(time, timeZone);
  return asUtc(date, clock) - time;
};

/** Returns the first minute between two times (ms) at which the clocks are past a local time that they skip. */
const firstAfterSkipped = (low: number, high: number, skipped: number, timeZone: string): number => {
  let [from, to] = [low / MINUTE, high / MINUTE];
  while (from < to) {
    const between = Math.floor((from + to) / 2);
    const time = between * MINUTE;
    if (time + offsetAt(time, timeZone) >= skipped) to = between;
    else from = between + 1;
  }
  return from * MINUTE;
};

/**
 * Returns the first and last time (ms) at which clocks in a time zone show a local time on the given day. The two
 * differ if the clocks are set back. If the clocks skip the time, both are the moment of the skip.
 */
export const clockTimes = (date: string, clock: string, timeZone: string): { first: number; last: number } => {
  const local = asUtc(date, clock);
  const candidates = [local - DAY, local + DAY].map((time) => local - offsetAt(time, timeZone));
  const shown = candidates.filter((time) => time + offsetAt(time, timeZone) === local);
  if (shown.length > 0) return { first: Math.min(...shown), last: Math.max(...shown) };
  const skip = firstAfterSkipped(Math.min(...candidates), Math.max(...candidates), local, timeZone);
  return { first: skip, last: skip };
};

/** Returns the times (ms) at which a schedule may begin or end within about a day after `time`. */
export const scheduleChanges = ({ from, to, timeZone }: Omit<Schedule, 'days'>, time: number): number[] => {
  const today = wallTime(time, timeZone).date;
  const shown = [today, dayAfter(today)].flatMap((day) => [from, to].map((clock) => clockTimes(day, clock, timeZone)));
  return shown.flatMap(({ first, last }) => [first, last]).filter((change) => change > time);
};
