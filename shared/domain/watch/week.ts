import type { Schedule } from '../rule/schedule.ts';
import { wallTime } from '../time/wall-time.ts';

const MINUTE = 60_000;
const MINUTES_OF_DAY = 24 * 60;
const MINUTES_OF_WEEK = 7 * MINUTES_OF_DAY;
/** The most minutes by which a day can exceed 24 hours when clocks are set back. */
const MAX_CLOCK_CHANGE = 2 * 60;
/** UTC offsets only change at multiples of this many minutes. */
const OFFSET_STEP = 15;

/**
 * A set of minutes, with 1 for each included minute. It covers the clock week from Monday 00:00, or the coming week
 * from its start.
 */
type Minutes = Uint8Array;

/** The same hours on some days (1 is Monday), as in a schedule. If `from` equals `to`, they cover the whole day. */
export type WeeklyHours = Pick<Schedule, 'days' | 'from' | 'to'>;

const minuteOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};
const clockOf = (minute: number): string => {
  const inDay = minute % MINUTES_OF_DAY;
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${digits(Math.floor(inDay / 60))}:${digits(inDay % 60)}`;
};

/** Returns the minutes of the week included in weekly hours. */
export const minutesOfWeek = ({ days, from, to }: WeeklyHours): Minutes => {
  const minutes = new Uint8Array(MINUTES_OF_WEEK);
  const begin = minuteOf(from);
  const length = from < to ? minuteOf(to) - begin : MINUTES_OF_DAY - begin + minuteOf(to);
  for (const day of days)
    for (let at = 0; at < length; at++) minutes[((day - 1) * MINUTES_OF_DAY + begin + at) % MINUTES_OF_WEEK] = 1;
  return minutes;
};

type Stretch = { start: number; length: number };

/** Returns the stretches of included minutes. A stretch that begins on Sunday can end on Monday. */
const stretchesOf = (minutes: Minutes): Stretch[] => {
  const first = minutes.indexOf(0);
  if (first < 0) return [{ start: 0, length: MINUTES_OF_WEEK }];
  const stretches: Stretch[] = [];
  for (let at = 0; at < MINUTES_OF_WEEK; at++) {
    const minute = (first + at) % MINUTES_OF_WEEK;
    if (!minutes[minute]) continue;
    const last = stretches.at(-1);
    if (last && (last.start + last.length) % MINUTES_OF_WEEK === minute) last.length += 1;
    else stretches.push({ start: minute, length: 1 });
  }
  return stretches;
};

/** Splits a stretch longer than a day at midnight. */
const withinDays = ({ start, length }: Stretch): Stretch[] => {
  if (length <= MINUTES_OF_DAY) return [{ start, length }];
  const rest = MINUTES_OF_DAY - (start % MINUTES_OF_DAY);
  const next = { start: (start + rest) % MINUTES_OF_WEEK, length: length - rest };
  return [{ start, length: rest }, ...withinDays(next)];
};

/** Returns weekly hours for exactly these minutes of the week. Days with the same hours are grouped together. */
export const weeklyHours = (minutes: Minutes): WeeklyHours[] => {
  const parts = stretchesOf(minutes)
    .flatMap(withinDays)
    .map(({ start, length }) => ({
      day: Math.floor(start / MINUTES_OF_DAY) + 1,
      from: clockOf(start),
      to: clockOf(start + length),
    }));
  return [...Map.groupBy(parts, ({ from, to }) => `${from}-${to}`).values()].flatMap(([first, ...others]) =>
    first
      ? [
          {
            days: [first, ...others].map(({ day }) => day).toSorted((a, b) => a - b),
            from: first.from,
            to: first.to,
          },
        ]
      : [],
  );
};

/**
 * Returns the calendar for the seven days from `now` (ms). Clocks may change during these days, and the difference
 * between two time zones may vary, so schedules are compared by elapsed minutes, not clock times.
 */
export const comingWeek = (now: number, timeZone: string) => {
  const begin = Math.floor(now / MINUTE);
  // The coming week is long enough to include every minute of the clock week, even if clocks are set back.
  const length = MINUTES_OF_WEEK + MAX_CLOCK_CHANGE;
  const clocks = new Map<string, Uint16Array>();
  /** Returns the local minute of the week in a time zone, for each minute of the coming week. */
  const clockIn = (zone: string): Uint16Array => {
    const known = clocks.get(zone);
    if (known) return known;
    const clock = new Uint16Array(length);
    for (let at = 0; at < length; at++) {
      if (at > 0 && (begin + at) % OFFSET_STEP !== 0) {
        clock[at] = ((clock[at - 1] ?? 0) + 1) % MINUTES_OF_WEEK;
        continue;
      }
      const { weekday, clock: text } = wallTime((begin + at) * MINUTE, zone);
      clock[at] = (weekday - 1) * MINUTES_OF_DAY + minuteOf(text);
    }
    clocks.set(zone, clock);
    return clock;
  };
  const schedules = new Map<string, Minutes>();
  return {
    /** Returns an empty set of minutes to add to. */
    none: (): Minutes => new Uint8Array(length),

    /** Returns the minutes of the coming week included in a schedule; null includes all. */
    scheduled: (schedule: Schedule | null): Minutes => {
      const key = JSON.stringify(schedule);
      const known = schedules.get(key);
      if (known) return known;
      const week = schedule && minutesOfWeek(schedule);
      const clock = clockIn(schedule?.timeZone ?? timeZone);
      const minutes = Uint8Array.from(clock, (minute) => (week ? (week[minute] ?? 0) : 1));
      schedules.set(key, minutes);
      return minutes;
    },

    /** Returns minutes of the coming week as weekly hours in local time. */
    hoursOf: (minutes: Minutes): WeeklyHours[] => {
      const week = new Uint8Array(MINUTES_OF_WEEK);
      const passed = new Uint8Array(MINUTES_OF_WEEK);
      const clock = clockIn(timeZone);
      for (let at = 0; at < clock.length; at++) {
        const minute = clock[at] ?? 0;
        passed[minute] = 1;
        if (minutes[at]) week[minute] = 1;
      }
      // A skipped hour gets the value of the minute before it, so that it does not split a stretch.
      for (let at = 0; at < 2 * MINUTES_OF_WEEK; at++) {
        const minute = at % MINUTES_OF_WEEK;
        if (!passed[minute]) week[minute] = week[(minute + MINUTES_OF_WEEK - 1) % MINUTES_OF_WEEK] ?? 0;
      }
      return weeklyHours(week);
    },
  };
};
export type ComingWeek = ReturnType<typeof comingWeek>;
