/** The time zone of the home. */
export const TIME_ZONE = 'Europe/Berlin';

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: TIME_ZONE,
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Returns the local time in the home as `HH:MM` for a time (ms since the Unix epoch). */
export const localTime = (time: number): string => format.format(time);

const QUARTER = 900_000;
/** Returns the first local midnight in the home at or after the given time, both in ms since the Unix epoch. */
export const nextMidnight = (time: number): number => {
  let at = Math.ceil(time / QUARTER) * QUARTER;
  while (localTime(at) !== '00:00') at += QUARTER;
  return at;
};
