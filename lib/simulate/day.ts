import type { Random } from '../local/random.ts';

/**
 * What happens in a room, to the resident, a visitor or the sensor. The sensor starts at `begin` and sends no messages
 * between `silent` and `back`. In a `cut_fall`, the sensor stops sending before it can report the end of the fall.
 */
export type Occurrence =
  | 'begin'
  | 'leave_room'
  | 'enter_room'
  | 'leave_bed'
  | 'enter_bed'
  | 'visitor_enters'
  | 'visitor_leaves'
  | 'report'
  | 'fall'
  | 'cut_fall'
  | 'near_fall'
  | 'bad_night'
  | 'silent'
  | 'back';
/** An occurrence and its time, `at` ms after midnight. */
export type Moment = { at: number; what: Occurrence };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The number of sensor groups reporting at different times, so the sensors do not all report at once. */
const REPORT_GROUPS = 9;

type Around = (time: number, spread: number) => number;
const during = (at: number, begins: Occurrence, lasts: number, ends: Occurrence): Moment[] => [
  { at, what: begins },
  { at: at + lasts, what: ends },
];

/** Returns the periodic sensor reports for a day, one every `every` ms. The rhythm continues past midnight. */
const reportsOf = (sensor: number, day: number, every: number): Moment[] => {
  const offset = Math.floor(((sensor % REPORT_GROUPS) * every) / REPORT_GROUPS);
  const first = (((offset - day * DAY) % every) + every) % every;
  return Array.from({ length: Math.ceil((DAY - first) / every) }, (_, at) => ({
    at: first + at * every,
    what: 'report',
  }));
};

const meals = [8, 12, 18];
const mealsOf = (around: Around): Moment[] =>
  meals.flatMap((hour) =>
    during(around(hour * HOUR, 20 * MINUTE), 'leave_room', around(35 * MINUTE, 10 * MINUTE), 'enter_room'),
  );

/**
 * Returns the moments in a night. The resident gets up zero to two times. One time in four, the resident soon gets up
 * again.
 */
const nightOf = (random: Random, around: Around): Moment[] =>
  Array.from({ length: Math.floor(random() * 3) }, (_, walk) => {
    const at = around((1.5 + 2 * walk) * HOUR, 40 * MINUTE);
    const again = random() < 1 / 4 ? during(at + 13 * MINUTE, 'leave_bed', 4 * MINUTE, 'enter_bed') : [];
    return [...during(at, 'leave_bed', 10 * MINUTE, 'enter_bed'), ...again];
  }).flat();

/** Returns the moments a day may contain, each with a probability. */
const chancesOf = (around: Around): [chance: number, moments: () => Moment[]][] => [
  [3 / 32, () => [{ at: around(10 * HOUR, HOUR / 2), what: 'fall' }]],
  [
    1 / 32,
    () => {
      const at = around(10 * HOUR, HOUR / 2);
      return [{ at, what: 'cut_fall' }, ...during(at + 65 * SECOND, 'silent', 30 * MINUTE, 'back')];
    },
  ],
  [1 / 8, () => [{ at: around(15.5 * HOUR, HOUR), what: 'near_fall' }]],
  [1 / 16, () => [{ at: around(4 * HOUR, 20 * MINUTE), what: 'bad_night' }]],
  [1 / 3, () => during(around(14 * HOUR, HOUR / 2), 'visitor_enters', around(HOUR, HOUR / 2), 'visitor_leaves')],
  [1 / 6, () => during(around(17 * HOUR, 20 * MINUTE), 'silent', around(30 * MINUTE, 10 * MINUTE), 'back')],
];

/**
 * Returns the moments of a day in a room, ordered by time. The resident is in bed at midnight, gets up in the morning,
 * has three meals outside the room, goes to bed in the evening and gets up at night. The resident falls on one day in
 * eight, almost falls on one in eight, has a bad night on one in sixteen and a visitor on one in three. On one day in
 * six the sensor is offline for a while.
 */
export const dayOf = (sensor: number, day: number, reportSeconds: number, random: Random): Moment[] => {
  const around: Around = (time, spread) => Math.round(time + (2 * random() - 1) * spread);
  const moments: Moment[] = [
    ...reportsOf(sensor, day, reportSeconds * SECOND),
    ...nightOf(random, around),
    { at: around(6.5 * HOUR, 20 * MINUTE), what: 'leave_bed' },
    ...mealsOf(around),
    { at: around(21.5 * HOUR, 40 * MINUTE), what: 'enter_bed' },
    ...chancesOf(around).flatMap(([chance, moments]) => (random() < chance ? moments() : [])),
  ];
  return moments.sort((a, b) => a.at - b.at);
};
