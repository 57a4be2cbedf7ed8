import * as z from 'zod';
import { wallTime } from './wall-time.ts';

const MINUTE = 60_000;
/** No time zone is farther from UTC than 14 hours. */
const FARTHEST = 15 * 60;

const utcOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const dateOf = (utc: number): string => new Date(utc).toISOString().slice(0, 10);

const MONTH_OR_DAY = '^20[0-9]{2}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$';
const isThere = (given: string): boolean => {
  const utc = new RegExp(MONTH_OR_DAY).test(given) ? utcOf(firstDay(given)) : Number.NaN;
  return !Number.isNaN(utc) && dateOf(utc) === firstDay(given);
};

/** A month (`YYYY-MM`) or a day (`YYYY-MM-DD`) of this century. */
export const MonthOrDay = z
  .string()
  .check((ctx) => {
    if (!isThere(ctx.value)) ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'invalid' } });
  })
  .meta({ pattern: MONTH_OR_DAY });

export const monthOf = (time: number, timeZone: string): string => wallTime(time, timeZone).date.slice(0, 7);

/** The month that is so many months after another one. */
export const monthAfter = (month: string, count = 1): string => {
  const date = new Date(utcOf(`${month}-01`));
  date.setUTCMonth(date.getUTCMonth() + count);
  return dateOf(date.getTime()).slice(0, 7);
};

/** The first day of a month, or the day itself. */
export const firstDay = (given: string): string => (given.length === 7 ? `${given}-01` : given);
const dayAfter = (day: string): string => dateOf(utcOf(day) + 24 * 60 * MINUTE);
/** The day after a month, or after a day. */
export const dayBehind = (given: string): string =>
  given.length === 7 ? firstDay(monthAfter(given)) : dayAfter(given);
/** The last day of a month, or the day itself. */
export const lastDay = (given: string): string => dateOf(utcOf(dayBehind(given)) - 24 * 60 * MINUTE);

/** When (ms) a day begins in a time zone: at the first minute that its clocks give this date or a later one. */
export const startOfDay = (day: string, timeZone: string): number => {
  const middle = utcOf(day) / MINUTE;
  let low = middle - FARTHEST;
  let high = middle + FARTHEST;
  while (low < high) {
    const between = Math.floor((low + high) / 2);
    if (wallTime(between * MINUTE, timeZone).date >= day) high = between;
    else low = between + 1;
  }
  return low * MINUTE;
};

/** A month, or what a span has of it: from a time (ms) on, up to another one. */
export type Part = { month: string; from: number; to: number };

/** The months that two days and all between them are in. `before`: the day after the last one. */
export const partsOf = (from: string, before: string, timeZone: string): Part[] => {
  const parts: Part[] = [];
  for (let day = from; day < before; ) {
    const month = day.slice(0, 7);
    const next = firstDay(monthAfter(month));
    const end = next < before ? next : before;
    parts.push({ month, from: startOfDay(day, timeZone), to: startOfDay(end, timeZone) });
    day = end;
  }
  return parts;
};

/** A day that a part of a span has, or the part of it: from a time (ms) on, up to another one. */
type Day = { date: string; from: number; to: number };

/** The days of a part, the first and the last one as far as they are in it. */
export const daysOf = ({ from, to }: Part, timeZone: string): Day[] => {
  const days: Day[] = [];
  for (let at = from; at < to; ) {
    const { date } = wallTime(at, timeZone);
    const end = Math.min(to, startOfDay(dayAfter(date), timeZone));
    days.push({ date, from: at, to: end });
    at = end;
  }
  return days;
};
