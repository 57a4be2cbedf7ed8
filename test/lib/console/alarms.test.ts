import { expect, test } from 'vitest';

// By names that are not known to the compiler: it reads the console with other settings.
const folder = new URL('../../../lib/console/overview/', import.meta.url).pathname;
type Answer = { createDate: number; classification: string };
type Hit = {
  id: number;
  createDate: number;
  updateDate: number;
  sensorId: string;
  sensor: { name: string } | null;
  situation: string;
  ruleMessages: object[];
  acknowledgement: { name: string; date: number } | null;
  feedback: Answer | null;
};
type Alarm = { name: string; since: number; hits: Hit[]; fall?: object };
type Fall = { sensorId: string; since: number };
type Known = { hits: readonly Hit[]; changed: number; isWhole: boolean };
const { alarmsOf, withFalls, isOpen, answered, SHIFT } = (await import(`${folder}alarms.ts`)) as {
  alarmsOf: (hits: readonly Hit[]) => Alarm[];
  withFalls: (alarms: readonly Alarm[], falls: readonly Fall[]) => { alarms: Alarm[]; untold: Fall[] };
  isOpen: (alarm: Alarm) => boolean;
  answered: (alarms: readonly Alarm[], now: number) => { taken: Alarm[]; done: Alarm[] };
  SHIFT: number;
};
const { merged } = (await import(`${folder}hits.ts`)) as {
  merged: (known: Known | undefined, found: readonly Hit[], since: number) => Known;
};

const START = 1_795_240_000_000;
const MINUTE = 60_000;
const hit = (id: number, minute: number, more: Partial<Hit> = {}): Hit => ({
  id,
  createDate: START + minute * MINUTE,
  updateDate: START + minute * MINUTE,
  sensorId: 'a',
  situation: 'fall_detected',
  sensor: { name: 'Room 1' },
  ruleMessages: [],
  acknowledgement: null,
  feedback: null,
  ...more,
});
const taken = (minute: number) => ({ acknowledgement: { name: 'Anna Meier', date: START + minute * MINUTE } });
const judged = (minute: number) => ({
  feedback: { createDate: START + minute * MINUTE, classification: 'FALSE_POSITIVE' },
});
const idsOf = (alarms: readonly Alarm[]) => alarms.map(({ hits }) => hits.map(({ id }) => id));

test('what one fall fires is one alarm; another sensor, another kind and a later fall are alarms of their own', () => {
  const hits = [
    hit(1, 0, { situation: 'fall_suspected' }),
    hit(2, 1, { sensorId: 'b' }),
    hit(3, 2, { situation: 'fall_confirmed' }),
    hit(4, 3, { situation: 'apnea' }),
    hit(5, 60),
  ];
  expect(idsOf(alarmsOf(hits.toReversed()))).toEqual([[1, 3], [2], [4], [5]]);
});

test('what comes after somebody has answered is an alarm of its own', () => {
  expect(idsOf(alarmsOf([hit(1, 0, taken(1)), hit(2, 2)]))).toEqual([[1], [2]]);
  expect(idsOf(alarmsOf([hit(1, 0, judged(1)), hit(2, 2)]))).toEqual([[1], [2]]);
  expect(idsOf(alarmsOf([hit(1, 0, taken(3)), hit(2, 2)]))).toEqual([[1, 2]]);
});

test('falls but for their end, vital signs and silence are alarms, and nothing else is', () => {
  const not = ['fall_canceled', 'fall_finished', 'empty_room', 'bed_left', 'sensor_active', 'sensor_tilted'];
  expect(alarmsOf(not.map((situation, at) => hit(at, at, { situation })))).toEqual([]);
  const are = ['fall_loop', 'fall_suspected_sensitive', 'fall_confirmed', 'respiration_low', 'sensor_inactive'];
  for (const situation of are) expect(alarmsOf([hit(1, 0, { situation })])).toHaveLength(1);
});

test('an alarm is open while one of its hits has neither somebody who goes nor a word of what it was', () => {
  const states = [hit(1, 0), hit(1, 0, taken(5)), hit(1, 0, judged(5))].map((version) =>
    alarmsOf([version]).map(isOpen),
  );
  expect(states).toEqual([[true], [false], [false]]);
  expect(alarmsOf([hit(1, 0, taken(5)), hit(2, 1)]).map(isOpen)).toEqual([true]);
});

test('who goes is shown until somebody says what it was, and for a shift', () => {
  const now = START + 10 * MINUTE;
  const alarms = alarmsOf([hit(1, 0, taken(1)), hit(2, 2, { ...taken(3), ...judged(4) }), hit(3, 5)]);
  expect(Object.values(answered(alarms, now)).map(idsOf)).toEqual([[[1]], [[2]]]);
  expect(Object.values(answered(alarms, START + MINUTE + SHIFT)).map(idsOf)).toEqual([[], [[2]]]);
  expect(Object.values(answered(alarms, START + 4 * MINUTE + SHIFT)).map(idsOf)).toEqual([[], []]);
});

test('an answered alarm stays among those taken care of while its fall goes on, however long', () => {
  const fall = { sensorId: 'a', since: START };
  const { alarms } = withFalls(alarmsOf([hit(1, 0, { ...taken(1), ...judged(2) })]), [fall]);
  expect(Object.values(answered(alarms, START + 2 * SHIFT)).map(idsOf)).toEqual([[[1]], []]);
});

test('a fall that goes on belongs to the alarm of its sensor; without one no rule told of it', () => {
  const alarms = alarmsOf([hit(1, 10), hit(2, 11, { sensorId: 'b', situation: 'apnea' })]);
  const falls = [
    { sensorId: 'a', since: START + 9 * MINUTE },
    { sensorId: 'a', since: START + 30 * MINUTE },
    { sensorId: 'b', since: START + 9 * MINUTE },
  ];
  const found = withFalls(alarms, falls);
  expect(found.alarms.map(({ fall }) => fall)).toEqual([falls[0], undefined]);
  expect(found.untold).toEqual(falls.slice(1));
});

test('of a hit the newer form stays, whichever answer comes last, and what is older than a day goes', () => {
  const old = hit(1, 0);
  const newer = { ...hit(1, 0, taken(3)), updateDate: START + 3 * MINUTE };
  const first = merged(undefined, [hit(2, 1), old], START);
  expect(merged(first, [newer], START).hits).toEqual([hit(2, 1), newer]);
  expect(merged(merged(first, [newer], START), [old], START)).toEqual({
    hits: [hit(2, 1), newer],
    isWhole: true,
    changed: newer.updateDate,
  });
  expect(merged(first, [], START + MINUTE).hits).toEqual([hit(2, 1)]);
});

test('an alarm counts from when its fall began, which a rule may tell of later, and is as old among others', () => {
  const falls = [{ sensorId: 'a', since: START - MINUTE / 2 }];
  const [first, second] = withFalls(alarmsOf([hit(1, 0), hit(2, 1, { sensorId: 'b' })]), falls).alarms;
  expect([first?.since, second?.since]).toEqual([START - MINUTE / 2, START + MINUTE]);
  const earlier = withFalls(alarmsOf([hit(1, -0.9)]), falls).alarms;
  expect(earlier.map(({ since }) => since)).toEqual([START - 0.9 * MINUTE]);
});
