import type { Rule } from 'openapi';

export type Schedule = NonNullable<Rule['schedule']>;

const MINUTES_OF_DAY = 1_440;
/** A Monday: its week has the names of all days. */
const MONDAY = Date.UTC(2_026, 0, 5);

/** Names of the days, 1 (Monday) first. */
export const daysIn = (locale: string, weekday: 'short' | 'long'): string[] => {
  const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, at) => format.format(MONDAY + at * 86_400_000));
};

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

/** A stretch of a day: where it begins and how long it is, as shares of the day. */
export type Stretch = { day: number; from: number; length: number };

const stretch = (day: number, from: number, to: number): Stretch[] =>
  to > from ? [{ day, from: from / MINUTES_OF_DAY, length: (to - from) / MINUTES_OF_DAY }] : [];

/** When a schedule holds: one stretch for each of its days, two where it runs over midnight. */
export const stretchesOf = ({ days, from, to }: Schedule): Stretch[] => {
  const [start, end] = [minutesOf(from), minutesOf(to)];
  if (start < end) return days.flatMap((day) => stretch(day, start, end));
  return days.flatMap((day) => [...stretch(day, start, MINUTES_OF_DAY), ...stretch((day % 7) + 1, 0, end)]);
};

/** Days as people say them: those in a row by the first and the last. */
export const daysSaid = (days: readonly number[], names: readonly string[], every: string): string => {
  if (days.length === 7) return every;
  const rows: number[][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const row = rows.at(-1);
    if (row?.at(-1) === day - 1) row.push(day);
    else rows.push([day]);
  }
  const name = (day = 1): string => names[day - 1] ?? '';
  return rows
    .map((row) => (row.length > 2 ? `${name(row[0])}–${name(row.at(-1))}` : row.map(name).join(', ')))
    .join(', ');
};
