import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { shiftsOn } from '#shared/domain/people/shifts.ts';
import { dayAfter } from '#shared/domain/time/calendar.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';
import type { Span } from '../alarms/figures.ts';

/** The daily shifts by starting hour, in the browser's time zone. */
const starts = [
  { kind: 'early', hour: 6 },
  { kind: 'late', hour: 14 },
  { kind: 'night', hour: 21 },
] as const;
type Shift = Span & { kind: (typeof starts)[number]['kind'] };

/** Returns the start of the day `days` days after the given time (ms). */
const dayOf = (time: number, days: number): Date => {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
};
const hourOf = (day: Date, hour: number): number =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour).getTime();

/** Returns the shift at the given time (ms). */
export const shiftAt = (time: number): Shift => {
  const around = [-1, 0, 1].flatMap((days) =>
    starts.map(({ kind, hour }) => ({ kind, from: hourOf(dayOf(time, days), hour) })),
  );
  const at = around.findLastIndex(({ from }) => from <= time);
  const { kind, from } = around[at] ?? { kind: 'early' as const, from: time };
  return { kind, from, to: around[at + 1]?.from ?? time };
};

/** A user on duty according to the roster. */
type OnRoster = Span & { userId: number };

/** Joins a user's consecutive shifts. */
const joined = (shifts: readonly OnRoster[]): OnRoster[] => {
  const all: OnRoster[] = [];
  for (const shift of shifts) {
    const before = all.find(({ userId, to }) => userId === shift.userId && to >= shift.from);
    if (before) before.to = Math.max(before.to, shift.to);
    else all.push({ ...shift });
  }
  return all;
};

/** Returns the roster shifts that overlap a span. The roster is in the customer's time zone. */
export const onRoster = (roster: readonly RosterEntry[], timeZone: string, { from, to }: Span): OnRoster[] => {
  const first = wallTime(from, timeZone).date;
  const days = [-1, 0, 1].map((count) => dayAfter(first, count));
  const shifts = shiftsOn(days, { roster, timeZone })
    .map(({ userId, start, end }) => ({ userId, from: start, to: end }))
    .toSorted((one, other) => one.from - other.from);
  return joined(shifts).filter((shift) => shift.from < to && shift.to > from);
};
