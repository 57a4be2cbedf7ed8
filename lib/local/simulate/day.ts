/** A number in [0, 1), the next one at each call. */
export type Random = () => number;

/** The same seed gives the same numbers (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

export type What =
  | 'leave_room'
  | 'enter_room'
  | 'leave_bed'
  | 'enter_bed'
  | 'report'
  | 'fall'
  | 'near_fall'
  | 'bad_night';
/** Something in the day of a resident, ms after midnight. */
export type Moment = { at: number; what: What };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A sensor tells how things are this often, whether something changed or not. */
const REPORT_EVERY = 5 * MINUTE;

const meals = [8, 12, 18];

const mealsOf = (around: (time: number, spread: number) => number): Moment[] =>
  meals.flatMap((hour) => {
    const at = around(hour * HOUR, 20 * MINUTE);
    return [
      { at, what: 'leave_room' },
      { at: at + around(35 * MINUTE, 10 * MINUTE), what: 'enter_room' },
    ] satisfies Moment[];
  });

const nightsOf = (random: Random, around: (time: number, spread: number) => number): Moment[] => {
  const walks = Math.floor(random() * 3);
  return Array.from({ length: walks }, (_, walk) => {
    const at = around((1.5 + 2 * walk) * HOUR, 40 * MINUTE);
    return [
      { at, what: 'leave_bed' },
      { at: at + 10 * MINUTE, what: 'enter_bed' },
    ] satisfies Moment[];
  }).flat();
};

/**
 * The day of a resident: in bed at midnight, up in the morning, three meals elsewhere, to bed in the evening, some walks
 * at night. One in eight falls, one in eight almost does, one in sixteen has a bad night.
 */
export const dayOf = (random: Random): Moment[] => {
  const around = (time: number, spread: number) => Math.round(time + (2 * random() - 1) * spread);
  const reports = Array.from({ length: DAY / REPORT_EVERY }, (_, at): Moment => {
    return { at: Math.floor((at + random()) * REPORT_EVERY), what: 'report' };
  });
  const day: Moment[] = [
    ...reports,
    ...nightsOf(random, around),
    { at: around(6.5 * HOUR, 20 * MINUTE), what: 'leave_bed' },
    ...mealsOf(around),
    { at: around(21.5 * HOUR, 40 * MINUTE), what: 'enter_bed' },
  ];
  if (random() < 1 / 8) day.push({ at: around(10 * HOUR, HOUR / 2), what: 'fall' });
  if (random() < 1 / 8) day.push({ at: around(15.5 * HOUR, HOUR), what: 'near_fall' });
  if (random() < 1 / 16) day.push({ at: around(4 * HOUR, 20 * MINUTE), what: 'bad_night' });
  return day.sort((a, b) => a.at - b.at);
};
