import { dayAfter, weekdayOf } from '#shared/domain/time/calendar.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';

/** How many days ahead a single-day shift may be. The API has the same limit. */
const MAX_DAYS_AHEAD = 62;

export type WeekDay = {
  date: string;
  /** `Mon 23` */
  short: string;
  isToday: boolean;
  isYesterday: boolean;
  /** Whether the API no longer keeps entries for the day. */
  isPast: boolean;
};
/** A week in the roster, Monday first. */
export type Week = { monday: string; days: readonly WeekDay[]; isFirst: boolean; isLast: boolean };

export const mondayOf = (day: string): string => dayAfter(day, 1 - weekdayOf(day));
export const todayIn = (timeZone: string, now: number): string => wallTime(now, timeZone).date;

/** Returns consecutive days, starting with `first`. */
export const daysFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => dayAfter(first, at));

/** Returns the Mondays after the given Monday, as far ahead as single-day shifts can be entered. */
export const weeksAfter = (monday: string, today: string): string[] =>
  Array.from({ length: 9 }, (_, at) => dayAfter(monday, 7 * (at + 1))).filter(
    (next) => dayAfter(next, 6) <= dayAfter(today, MAX_DAYS_AHEAD),
  );

export const weekOf = (monday: string, today: string, format: (day: string) => string): Week => ({
  monday,
  days: daysFrom(monday, 7).map((date) => ({
    date,
    short: format(date),
    isToday: date === today,
    isYesterday: date === dayAfter(today, -1),
    isPast: date < dayAfter(today, -1),
  })),
  isFirst: monday <= mondayOf(today),
  isLast: dayAfter(monday, 7) > dayAfter(today, MAX_DAYS_AHEAD),
});
