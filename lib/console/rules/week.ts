import type { Rule } from '#openapi';

export type Schedule = NonNullable<Rule['schedule']>;

const MINUTES_OF_DAY = 1_440;
/** A Monday, from which the names of all days are formatted. */
const MONDAY = Date.UTC(2_026, 0, 5);

/** The names of the days of a week, Monday first. */
export const daysIn = (locale: string, weekday: 'short' | 'long'): string[] => {
  const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, at) => format.format(MONDAY + at * 86_400_000));
};

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

/** A part of a day; `from` and `length` are fractions of the day. */
type Stretch = { day: number; from: number; length: number };

const stretch = (day: number, from: number, to: number): Stretch[] =>
  to > from ? [{ day, from: from / MINUTES_OF_DAY, length: (to - from) / MINUTES_OF_DAY }] : [];

/** The parts of days in which a schedule applies: one for each of its days, or two when it lasts beyond midnight. */
export const stretchesOf = ({ days, from, to }: Schedule): Stretch[] => {
  const start = minutesOf(from);
  const end = minutesOf(to);
  if (start < end) return days.flatMap((day) => stretch(day, start, end));
  return days.flatMap((day) => [...stretch(day, start, MINUTES_OF_DAY), ...stretch((day % 7) + 1, 0, end)]);
};

/** Formats days for people: consecutive days are written as the first and the last one. */
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
