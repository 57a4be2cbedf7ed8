import type { Schedule } from '../rule/schedule.ts';

// Creating a format takes longer than using it a hundred times, so each time zone's format is created once.
const formats = new Map<string, Intl.DateTimeFormat>();
const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  const created = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, created);
  return created;
};

/** Returns the local time in a time zone: ISO weekday, date (`YYYY-MM-DD`) and clock time (`HH:MM`). */
export const wallTime = (time: number, timeZone: string): { weekday: number; date: string; clock: string } => {
  const [date = '', clock = ''] = formatIn(timeZone).format(time).split(' ');
  return { weekday: new Date(`${date}T00:00:00Z`).getUTCDay() || 7, date, clock };
};

/** Whether a time zone is UTC, which has several names. Cached, because creating a format is slow. */
const utc = new Map<string, boolean>();
const isUtc = (timeZone: string): boolean => {
  const known = utc.get(timeZone) ?? formatIn(timeZone).resolvedOptions().timeZone === 'UTC';
  utc.set(timeZone, known);
  return known;
};
const formatted = (time: number, timeZone: string, zone: string): string => {
  const { date, clock } = wallTime(time, timeZone);
  return [date, clock, zone].filter(Boolean).join(' ');
};

/** Returns a time for use in rule text. The time zone is included only if it is UTC, because homes use local time. */
export const dateAndTime = (time: number, timeZone: string): string =>
  formatted(time, timeZone, isUtc(timeZone) ? 'UTC' : '');

/** Returns a time with the time zone name, for readers who may be anywhere. */
export const dateTimeAndZone = (time: number, timeZone: string): string =>
  formatted(time, timeZone, isUtc(timeZone) ? 'UTC' : timeZone);

/** Whether a time falls within a schedule, in local time. If `from` equals `to`, the schedule covers the whole day. */
export const isScheduled = ({ days, from, to, timeZone }: Schedule, time: number): boolean => {
  const { weekday, clock } = wallTime(time, timeZone);
  if (from < to) return days.includes(weekday) && clock >= from && clock < to;
  const yesterday = weekday === 1 ? 7 : weekday - 1;
  return (days.includes(weekday) && clock >= from) || (days.includes(yesterday) && clock < to);
};
