import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { dayAfter, weekdayOf } from '#shared/domain/time/calendar.ts';

/** When a shift begins and ends, in the customer's local time. It ends on the next day if `to` is not after `from`. */
export type Hours = { from: string; to: string };
/** A shift on the day when it begins. */
export type Shift = Hours & { userId: number; date: string; isWeekly: boolean };
/** An entry that replaces a user's weekly shifts on one day. */
type DatedEntry = Extract<RosterEntry, { date: string }>;

const isSame = (one: Hours, other: Hours): boolean => one.from === other.from && one.to === other.to;

const datedOf = (entries: readonly RosterEntry[], userId: number, date: string): DatedEntry[] =>
  entries.flatMap((entry) => (entry.userId === userId && entry.date === date ? [entry as DatedEntry] : []));

const weeklyOf = (entries: readonly RosterEntry[], userId: number, date: string): Hours[] =>
  entries.flatMap((entry) =>
    entry.userId === userId && entry.days?.includes(weekdayOf(date)) ? [{ from: entry.from, to: entry.to }] : [],
  );

/** Returns a user's shifts that begin on a day, in order. */
export const shiftsOf = (entries: readonly RosterEntry[], userId: number, date: string): Shift[] => {
  const dated = datedOf(entries, userId, date);
  const isWeekly = dated.length === 0;
  const hours = isWeekly ? weeklyOf(entries, userId, date) : dated.flatMap((entry) => (entry.off ? [] : [entry]));
  return hours
    .map(({ from, to }) => ({ userId, date, from, to, isWeekly }))
    .toSorted((a, b) => a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
};

export const isOff = (entries: readonly RosterEntry[], userId: number, date: string): boolean =>
  datedOf(entries, userId, date).some(({ off }) => off);

/** Whether a user's weekly shifts on a day are replaced by other entries. */
export const replacesWeekly = (entries: readonly RosterEntry[], userId: number, date: string): boolean =>
  datedOf(entries, userId, date).length > 0 && weeklyOf(entries, userId, date).length > 0;

const withoutDay = (entries: readonly RosterEntry[], userId: number, date: string): RosterEntry[] =>
  entries.filter((entry) => entry.userId !== userId || entry.date !== date);

/** Returns a roster in which a user has a day off, even without a weekly shift on that day. */
export const withDayOff = (entries: readonly RosterEntry[], userId: number, date: string): RosterEntry[] => [
  ...withoutDay(entries, userId, date),
  { userId, date, off: true },
];

/**
 * Returns a roster in which a user has these shifts on a day. Entries for the day are stored only if they differ from
 * the weekly shifts.
 */
const withDay = (
  entries: readonly RosterEntry[],
  userId: number,
  date: string,
  shifts: readonly Hours[],
): RosterEntry[] => {
  const rest = withoutDay(entries, userId, date);
  const weekly = weeklyOf(rest, userId, date);
  const wanted = shifts.filter((shift, at) => shifts.findIndex((other) => isSame(shift, other)) === at);
  if (wanted.length === weekly.length && wanted.every((shift) => weekly.some((other) => isSame(shift, other))))
    return rest;
  if (wanted.length === 0) return withDayOff(rest, userId, date);
  return [...rest, ...wanted.map(({ from, to }) => ({ userId, date, from, to }))];
};

/** Returns a roster in which a user's weekly shifts apply on a day. */
export const withWeeklyDay = withoutDay;

/** Returns a roster with an additional shift on a day. */
export const withShift = (entries: readonly RosterEntry[], userId: number, date: string, hours: Hours) =>
  withDay(entries, userId, date, [...shiftsOf(entries, userId, date), hours]);

/** Returns a roster with a shift removed on one day. A weekly shift stays on all other days. */
export const withoutShift = (entries: readonly RosterEntry[], shift: Shift): RosterEntry[] => {
  const { userId, date } = shift;
  const others = shiftsOf(entries, userId, date).filter((other) => !isSame(other, shift));
  return withDay(entries, userId, date, others);
};

/** Returns a roster with a weekly shift on the given weekdays. */
export const withWeeklyShift = (
  entries: readonly RosterEntry[],
  userId: number,
  weekdays: readonly number[],
  { from, to }: Hours,
): RosterEntry[] => {
  const isMeant = (entry: RosterEntry): boolean =>
    entry.days !== undefined && entry.userId === userId && isSame(entry, { from, to });
  const days = [...new Set([...weekdays, ...entries.filter(isMeant).flatMap((entry) => entry.days ?? [])])];
  return [...entries.filter((entry) => !isMeant(entry)), { userId, days: days.toSorted((a, b) => a - b), from, to }];
};

/** Returns a roster with a weekly shift removed on the given shift's weekday. */
export const withoutWeeklyShift = (entries: readonly RosterEntry[], shift: Shift): RosterEntry[] =>
  entries.flatMap((entry) => {
    if (entry.days === undefined || entry.userId !== shift.userId || !isSame(entry, shift)) return [entry];
    const days = entry.days.filter((day) => day !== weekdayOf(shift.date));
    return days.length > 0 ? [{ ...entry, days }] : [];
  });

/** Returns a roster in which a shift has moved to another day or user. */
export const withMovedShift = (entries: readonly RosterEntry[], shift: Shift, userId: number, date: string) =>
  withShift(withoutShift(entries, shift), userId, date, shift);

/** Returns a roster with the shifts and days off from these days repeated `daysLater` days later. */
export const withCopiedDays = (
  entries: readonly RosterEntry[],
  dates: readonly string[],
  daysLater: number,
): RosterEntry[] => {
  let copied = [...entries];
  for (const date of dates)
    for (const userId of new Set(entries.map((entry) => entry.userId))) {
      const target = dayAfter(date, daysLater);
      copied = isOff(entries, userId, date)
        ? withDayOff(copied, userId, target)
        : withDay(copied, userId, target, shiftsOf(entries, userId, date));
    }
  return copied;
};

/** Returns the shift hours used in a roster, most frequent first. */
export const usualHours = (entries: readonly RosterEntry[]): Hours[] => {
  const counts = new Map<string, number>();
  for (const { from, to } of entries)
    if (from !== undefined && to !== undefined) counts.set(`${from} ${to}`, (counts.get(`${from} ${to}`) ?? 0) + 1);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([key]) => ({ from: key.slice(0, 5), to: key.slice(6) }));
};

/** Returns the people in the same order, except that those on the roster come first. */
export const rosteredFirst = <Person extends { userId: number }>(
  people: readonly Person[],
  entries: readonly RosterEntry[],
): Person[] => {
  const rostered = new Set(entries.map(({ userId }) => userId));
  return people.toSorted((a, b) => Number(rostered.has(b.userId)) - Number(rostered.has(a.userId)));
};
