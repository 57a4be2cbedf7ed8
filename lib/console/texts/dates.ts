const SECOND = 1_000;
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Formatters for times (ms since 1970) in a locale, in the browser's time zone. */
export const datesIn = (locale: string) => {
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });
  const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const second = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const short = new Intl.RelativeTimeFormat(locale, { style: 'narrow' });
  const number = new Intl.NumberFormat(locale);
  return {
    dateTime: (time: number) => dateTime.format(time),
    exact: (time: number) => exact.format(time),
    day: (time: number) => day.format(time),
    clock: (time: number) => clock.format(time),
    /** Formats the time of day, to the second. */
    second: (time: number) => second.format(time),
    number: (value: number) => number.format(value),
    /** Formats the time since `time` in whole units, such as "3 minutes ago", or "3m ago". */
    ago: (time: number, now: number, style: 'long' | 'short' = 'long'): string => {
      const seconds = Math.round((time - now) / SECOND);
      const [unit, length] = units.find(([, minimum]) => Math.abs(seconds) >= minimum) ?? ['second', 1];
      return (style === 'short' ? short : relative).format(Math.trunc(seconds / length), unit);
    },
  };
};
