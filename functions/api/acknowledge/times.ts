import { wallTime } from '#shared/domain/time/wall-time.ts';
import type { Texts } from './texts.ts';

const MINUTE = 60_000;
const locales = { en: 'en-GB', de: 'de-DE' } as const;

/** Creates functions that format times in a time zone, as seen at `now` (ms). */
export const timesIn = (timeZone: string, now: number, { language, justNow, timeIn }: Texts) => {
  const locale = locales[language];
  const city = timeZone.split('/').at(-1)?.replaceAll('_', ' ') ?? '';
  return {
    zone: timeZone.includes('/') && city !== 'UTC' ? timeIn(city) : city,

    /** Returns the time of day, preceded by the date unless it is today: `23:58`, `27 November, 23:58`. */
    local: (time: number): string => {
      const { date, clock } = wallTime(time, timeZone);
      if (date === wallTime(now, timeZone).date) return clock;
      const day = new Intl.DateTimeFormat(locale, { timeZone, day: 'numeric', month: 'long' }).format(time);
      return `${day}, ${clock}`;
    },

    /** Returns how long ago a time was: `3 minutes ago`. */
    ago: (time: number): string => {
      const minutes = Math.floor((now - time) / MINUTE);
      if (minutes < 1) return justNow;
      const format = new Intl.RelativeTimeFormat(locale);
      return minutes < 60 ? format.format(-minutes, 'minute') : format.format(-Math.floor(minutes / 60), 'hour');
    },
  };
};
