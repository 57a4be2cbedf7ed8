/** Where the home is. */
export const TIME_ZONE = 'Europe/Berlin';

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: TIME_ZONE,
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

/** `HH:MM` on the walls of the home. */
export const wallClock = (time: number): string => format.format(time);

const QUARTER = 900_000;
/** The first midnight of the home after a time, ms. */
export const nextMidnight = (time: number): number => {
  let at = Math.ceil(time / QUARTER) * QUARTER;
  while (wallClock(at) !== '00:00') at += QUARTER;
  return at;
};
