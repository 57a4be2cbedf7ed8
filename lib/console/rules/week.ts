import type { Rule } from '#openapi';

export type Schedule = NonNullable<Rule['schedule']>;

const MINUTES_OF_DAY = 1_440;
/** A Monday, used to format weekday names. */
const MONDAY = Date.UTC(2_026, 0, 5);

/** Returns the weekday names, Monday first. */
export const daysIn = (locale: string, weekday: 'short' | 'long'): string[] => {
  const format = new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, at) => format.format(MONDAY + at * 86_400_000));
};

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

/** A part of a day. `from` and `length` are fractions of the day. */
type Segment = { day: number; from: number; length: number };

const segment = (day: number, from: number, to: number): Segment[] =>
  to > from ? [{ day, from: from / MINUTES_OF_DAY, length: (to - from) / MINUTES_OF_DAY }] : [];

/** Returns the parts of days when a schedule applies: one per day, or two if it crosses midnight. */
export const segmentsOf = ({ days, from, to }: Schedule): Segment[] => {
  const start = minutesOf(from);
  const end = minutesOf(to);
  if (start < end) return days.flatMap((day) => segment(day, start, end));
  return days.flatMap((day) => [...segment(day, start, MINUTES_OF_DAY), ...segment((day % 7) + 1, 0, end)]);
};

/** Formats days. Consecutive days become a range. */
export const formatDays = (days: readonly number[], names: readonly string[], everyDay: string): string => {
  if (days.length === 7) return everyDay;
  const runs: number[][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  const name = (day = 1): string => names[day - 1] ?? '';
  return runs
    .map((run) => (run.length > 2 ? `${name(run[0])}–${name(run.at(-1))}` : run.map(name).join(', ')))
    .join(', ');
};
