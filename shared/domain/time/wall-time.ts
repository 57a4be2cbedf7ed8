import type { Schedule } from '../rule/schedule.ts';

// Making a format takes longer than using it a hundred times. It depends only on the time zone.
const formats = new Map<string, Intl.DateTimeFormat>();
const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, made);
  return made;
};

/** Gives the local time in a time zone: ISO weekday, date (`YYYY-MM-DD`) and clock (`HH:MM`). */
export const wallTime = (time: number, timeZone: string): { weekday: number; date: string; clock: string } => {
  const [date = '', clock = ''] = formatIn(timeZone).format(time).split(' ');
  return { weekday: new Date(`${date}T00:00:00Z`).getUTCDay() || 7, date, clock };
};

/** The same holds for what a zone is called: UTC has several names. */
const utc = new Map<string, boolean>();
const isUtc = (timeZone: string): boolean => {
  const known = utc.get(timeZone) ?? formatIn(timeZone).resolvedOptions().timeZone === 'UTC';
  utc.set(timeZone, known);
  return known;
};
const dated = (time: number, timeZone: string, zone: string): string => {
  const { date, clock } = wallTime(time, timeZone);
  return [date, clock, zone].filter(Boolean).join(' ');
};

/** Gives a time as rules tell it: in a time zone, which is named if it is UTC. Homes have other clocks. */
export const dateAndTime = (time: number, timeZone: string): string =>
  dated(time, timeZone, isUtc(timeZone) ? 'UTC' : '');

/** Gives a time with the name of its time zone, for readers who may be anywhere. */
export const dateTimeAndZone = (time: number, timeZone: string): string =>
  dated(time, timeZone, isUtc(timeZone) ? 'UTC' : timeZone);

/** Is a time within the schedule, by the clock of the schedule's time zone? If `from` equals `to`, the whole day is. */
export const isScheduled = ({ days, from, to, timeZone }: Schedule, time: number): boolean => {
  const { weekday, clock } = wallTime(time, timeZone);
  if (from < to) return days.includes(weekday) && clock >= from && clock < to;
  const yesterday = weekday === 1 ? 7 : weekday - 1;
  return (days.includes(weekday) && clock >= from) || (days.includes(yesterday) && clock < to);
};
