import { useMemo } from 'react';
import { roster as de } from '../texts/roster-de.ts';
import { roster as en } from '../texts/roster-en.ts';
import { useLocale, useRegion } from '../texts/texts.tsx';

/** Roster texts, loaded with their page to keep the first load small. */
export const useRosterTexts = () => (useLocale() === 'de' ? de : en);

/** Formatters for days (`YYYY-MM-DD`), and for times (ms) in the customer's time zone. */
export const useRosterDates = (timeZone: string) => {
  const region = useRegion();
  return useMemo(() => {
    const weekday = new Intl.DateTimeFormat(region, { weekday: 'short', timeZone: 'UTC' });
    const long = new Intl.DateTimeFormat(region, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
    const week = new Intl.DateTimeFormat(region, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
    const clock = new Intl.DateTimeFormat('sv-SE', { timeStyle: 'short', timeZone });
    const dayOf = new Intl.DateTimeFormat(region, { weekday: 'short', day: 'numeric', month: 'short', timeZone });
    const utcOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
    return {
      /** `Mon 23` */
      short: (day: string) => `${weekday.format(utcOf(day)).replace('.', '')} ${Number(day.slice(8))}`,
      long: (day: string) => long.format(utcOf(day)),
      week: (first: string, last: string) => week.formatRange(utcOf(first), utcOf(last)),
      clock: (time: number) => clock.format(time),
      dayAndClock: (time: number) => `${dayOf.format(time)}, ${clock.format(time)}`,
      day: (time: number) => dayOf.format(time),
    };
  }, [region, timeZone]);
};

/** Shortens a time of day: `06` for `06:00`. */
const shortClock = (clock: string): string => (clock.endsWith(':00') ? clock.slice(0, 2) : clock);
export const formatHours = ({ from, to }: { from: string; to: string }): string =>
  `${shortClock(from)}–${shortClock(to)}`;
