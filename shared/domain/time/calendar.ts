import { wallTime } from './wall-time.ts';

const MINUTE = 60_000;
/** More minutes than any UTC offset, which is at most 14 hours. */
const MAX_OFFSET = 15 * 60;

const utcOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dateOf = (utc: number): string => new Date(utc).toISOString().slice(0, 10);

export const monthOf = (time: number, timeZone: string): string => wallTime(time, timeZone).date.slice(0, 7);

/** Returns the month `count` months later. */
export const monthAfter = (month: string, count = 1): string => {
  const date = new Date(utcOf(`${month}-01`));
  date.setUTCMonth(date.getUTCMonth() + count);
  return dateOf(date.getTime()).slice(0, 7);
};

/** Returns the first day of a month. A day is returned unchanged. */
export const firstDay = (date: string): string => (date.length === 7 ? `${date}-01` : date);
/** Returns the day `count` days later. */
export const dayAfter = (day: string, count = 1): string => dateOf(utcOf(day) + count * 24 * 60 * MINUTE);
/** Returns the ISO weekday for a day. */
export const weekdayOf = (day: string): number => new Date(utcOf(day)).getUTCDay() || 7;
/** Returns the day after a month or a day. */
export const dayAfterEnd = (date: string): string => (date.length === 7 ? firstDay(monthAfter(date)) : dayAfter(date));
/** Returns the last day of a month. A day is returned unchanged. */
export const lastDay = (date: string): string => dateOf(utcOf(dayAfterEnd(date)) - 24 * 60 * MINUTE);

/** Returns when (ms) a day begins in a time zone: the first minute whose local date is this day or later. */
export const startOfDay = (day: string, timeZone: string): number => {
  const middle = utcOf(day) / MINUTE;
  let low = middle - MAX_OFFSET;
  let high = middle + MAX_OFFSET;
  while (low < high) {
    const between = Math.floor((low + high) / 2);
    if (wallTime(between * MINUTE, timeZone).date >= day) high = between;
    else low = between + 1;
  }
  return low * MINUTE;
};

/** A month, or part of one, from `from` (ms) up to, but not including, `to`. */
export type MonthPart = { month: string; from: number; to: number };

/** Returns the months from a day up to, but not including, `before`. The first and last month can be partial. */
export const monthParts = (from: string, before: string, timeZone: string): MonthPart[] => {
  const parts: MonthPart[] = [];
  for (let day = from; day < before; ) {
    const month = day.slice(0, 7);
    const next = firstDay(monthAfter(month));
    const end = next < before ? next : before;
    parts.push({ month, from: startOfDay(day, timeZone), to: startOfDay(end, timeZone) });
    day = end;
  }
  return parts;
};

/** A day, or part of one, from `from` (ms) up to, but not including, `to`. */
type Day = { date: string; from: number; to: number };

/** Returns the days in a month part. The first and last day can be partial. */
export const daysOf = ({ from, to }: MonthPart, timeZone: string): Day[] => {
  const days: Day[] = [];
  for (let at = from; at < to; ) {
    const { date } = wallTime(at, timeZone);
    const end = Math.min(to, startOfDay(dayAfter(date), timeZone));
    days.push({ date, from: at, to: end });
    at = end;
  }
  return days;
};
