import type { RosterEntry } from '#openapi';
import type { Span } from '../alarms/figures.ts';

/** The shifts of a day, by the hour at which they begin, in the time zone of the browser. */
const starts = [
  { kind: 'early', hour: 6 },
  { kind: 'late', hour: 14 },
  { kind: 'night', hour: 21 },
] as const;
export type Shift = Span & { kind: (typeof starts)[number]['kind'] };

/** Returns the start of the day (ms) that is `days` after that of a time. */
const dayOf = (time: number, days: number): Date => {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
};
const hourOf = (day: Date, hour: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour).getTime();

/** Returns the shift that includes a time (ms). */
export const shiftAt = (time: number): Shift => {
  const around = [-1, 0, 1].flatMap((days) =>
    starts.map(({ kind, hour }) => ({ kind, from: hourOf(dayOf(time, days), hour) })),
  );
  const at = around.findLastIndex(({ from }) => from <= time);
  const { kind, from } = around[at] ?? { kind: 'early' as const, from: time };
  return { kind, from, to: around[at + 1]?.from ?? time };
};

/** Returns the local date (`YYYY-MM-DD`) of a day. */
const isoDay = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
const clockOn = (day: Date, clock: string, days: number): number => {
  const [hours, minutes] = clock.split(':').map(Number);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hours, minutes).getTime();
};

/** Who was on duty within a span by the roster. */
export type OnRoster = Span & { userId: number };

/** Returns the shifts of an entry that begin on a day. `isReplaced`: whether an entry for that day replaces weekly ones. */
const shiftOn = (entry: RosterEntry, day: Date, isReplaced: boolean): OnRoster[] => {
  if ('off' in entry) return [];
  const isOn = 'date' in entry ? entry.date === isoDay(day) : !isReplaced && entry.days.includes(day.getDay() || 7);
  const isOverNight = entry.to <= entry.from;
  const { userId, from, to } = entry;
  return isOn ? [{ userId, from: clockOn(day, from, 0), to: clockOn(day, to, isOverNight ? 1 : 0) }] : [];
};

/** Returns the shifts of a roster that overlap a span, in the time zone of the browser. */
export const onRoster = (roster: readonly RosterEntry[], span: Span): OnRoster[] => {
  const days = [-1, 0, 1].map((count) => dayOf(span.from, count));
  const dated = new Set(roster.flatMap((entry) => ('date' in entry ? `${entry.userId} ${entry.date}` : [])));
  return days
    .flatMap((day) => roster.flatMap((entry) => shiftOn(entry, day, dated.has(`${entry.userId} ${isoDay(day)}`))))
    .filter(({ from, to }) => from < span.to && to > span.from)
    .toSorted((one, other) => one.from - other.from);
};
