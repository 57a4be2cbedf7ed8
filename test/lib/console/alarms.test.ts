import { expect, test } from 'vitest';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/overview/', import.meta.url).pathname;
type Feedback = { createDate: number; classification: string };
type Hit = {
  id: number;
  createDate: number;
  updateDate: number;
  sensorId: string;
  sensor: { name: string } | null;
  situation: string;
  ruleMessages: object[];
  acknowledgement: { name: string; date: number } | null;
  feedback: Feedback | null;
};
type Alarm = { name: string; since: number; hits: Hit[]; fall?: object };
type Fall = { sensorId: string; since: number; acknowledgement?: object };
type Known = { hits: readonly Hit[]; changed: number; isWhole: boolean };
const { alarmsOf, withOpenFalls, isOpen, answeredAlarms, SHIFT } = (await import(`${folder}alarms.ts`)) as {
  alarmsOf: (hits: readonly Hit[]) => Alarm[];
  withOpenFalls: (alarms: readonly Alarm[], falls: readonly Fall[]) => { alarms: Alarm[]; unreported: Fall[] };
  isOpen: (alarm: Alarm) => boolean;
  answeredAlarms: (alarms: readonly Alarm[], now: number) => { acknowledged: Alarm[]; closed: Alarm[] };
  SHIFT: number;
};
const { merged } = (await import(`${folder}hits.ts`)) as {
  merged: (known: Known | undefined, found: readonly Hit[], now: number) => Known;
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
const acknowledgedAt = (minute: number) => ({ acknowledgement: { name: 'Anna Meier', date: START + minute * MINUTE } });
const closedAt = (minute: number) => ({
  feedback: { createDate: START + minute * MINUTE, classification: 'FALSE_POSITIVE' },
});
const idsOf = (alarms: readonly Alarm[]) => alarms.map(({ hits }) => hits.map(({ id }) => id));

test("groups a fall's hits into one alarm, separate from other sensors, situations and later falls", () => {
  const hits = [
    hit(1, 0, { situation: 'fall_suspected' }),
    hit(2, 1, { sensorId: 'b' }),
    hit(3, 2, { situation: 'fall_confirmed' }),
    hit(4, 3, { situation: 'apnea' }),
    hit(5, 60),
  ];
  expect(idsOf(alarmsOf(hits.toReversed()))).toEqual([[1, 3], [2], [4], [5]]);
});

test('starts a new alarm with the first hit after the previous alarm was answered', () => {
  expect(idsOf(alarmsOf([hit(1, 0, acknowledgedAt(1)), hit(2, 2)]))).toEqual([[1], [2]]);
  expect(idsOf(alarmsOf([hit(1, 0, closedAt(1)), hit(2, 2)]))).toEqual([[1], [2]]);
  expect(idsOf(alarmsOf([hit(1, 0, acknowledgedAt(3)), hit(2, 2)]))).toEqual([[1, 2]]);
});

test('raises alarms only for falls, vital signs and offline sensors', () => {
  const quiet = ['fall_canceled', 'fall_finished', 'empty_room', 'bed_left', 'sensor_active', 'sensor_tilted'];
  expect(alarmsOf(quiet.map((situation, at) => hit(at, at, { situation })))).toEqual([]);
  const alarming = ['fall_loop', 'fall_suspected_sensitive', 'fall_confirmed', 'respiration_low', 'sensor_inactive'];
  for (const situation of alarming) expect(alarmsOf([hit(1, 0, { situation })])).toHaveLength(1);
});

test('keeps an alarm open while any hit has neither an acknowledgement nor an outcome', () => {
  const states = [hit(1, 0), hit(1, 0, acknowledgedAt(5)), hit(1, 0, closedAt(5))].map((version) =>
    alarmsOf([version]).map(isOpen),
  );
  expect(states).toEqual([[true], [false], [false]]);
  expect(alarmsOf([hit(1, 0, acknowledgedAt(5)), hit(2, 1)]).map(isOpen)).toEqual([true]);
});

test('lists an acknowledged alarm until it has an outcome', () => {
  const now = START + 10 * MINUTE;
  const alarms = alarmsOf([
    hit(1, 0, acknowledgedAt(1)),
    hit(2, 2, { ...acknowledgedAt(3), ...closedAt(4) }),
    hit(3, 5),
  ]);
  expect(Object.values(answeredAlarms(alarms, now)).map(idsOf)).toEqual([[[1]], [[2]]]);
  expect(Object.values(answeredAlarms(alarms, START + MINUTE + SHIFT)).map(idsOf)).toEqual([[], [[2]]]);
  expect(Object.values(answeredAlarms(alarms, START + 4 * MINUTE + SHIFT)).map(idsOf)).toEqual([[], []]);
});

test('an alarm stays acknowledged while its fall is open, even after a shift', () => {
  const fall = { sensorId: 'a', since: START };
  const { alarms } = withOpenFalls(alarmsOf([hit(1, 0, { ...acknowledgedAt(1), ...closedAt(2) })]), [fall]);
  expect(Object.values(answeredAlarms(alarms, START + 2 * SHIFT)).map(idsOf)).toEqual([[[1]], []]);
});

test("adds an open fall to the sensor's alarm, and reports a fall without an alarm", () => {
  const alarms = alarmsOf([hit(1, 10), hit(2, 11, { sensorId: 'b', situation: 'apnea' })]);
  const falls = [
    { sensorId: 'a', since: START + 9 * MINUTE },
    { sensorId: 'a', since: START + 30 * MINUTE },
    { sensorId: 'b', since: START + 9 * MINUTE },
    { sensorId: 'c', since: START, ...acknowledgedAt(1) },
  ];
  const found = withOpenFalls(alarms, falls);
  expect(found.alarms.map(({ fall }) => fall)).toEqual([falls[0], undefined]);
  expect(found.unreported).toEqual(falls.slice(1));
});

test('keeps the newer version of a hit, whatever order responses arrive in', () => {
  const END = START + 24 * 60 * MINUTE;
  const old = hit(1, 0);
  const newer = { ...hit(1, 0, acknowledgedAt(3)), updateDate: START + 3 * MINUTE };
  const first = merged(undefined, [hit(2, 1), old], END);
  expect(merged(first, [newer], END).hits).toEqual([hit(2, 1), newer]);
  expect(merged(merged(first, [newer], END), [old], END)).toEqual({
    hits: [hit(2, 1), newer],
    isWhole: true,
    changed: newer.updateDate,
  });
  expect(merged(first, [], END + MINUTE).hits).toEqual([hit(2, 1)]);
});

test('counts an alarm from the start of the fall, even if the hit came later', () => {
  const falls = [{ sensorId: 'a', since: START - MINUTE / 2 }];
  const [first, second] = withOpenFalls(alarmsOf([hit(1, 0), hit(2, 1, { sensorId: 'b' })]), falls).alarms;
  expect([first?.since, second?.since]).toEqual([START - MINUTE / 2, START + MINUTE]);
  const earlier = withOpenFalls(alarmsOf([hit(1, -0.9)]), falls).alarms;
  expect(earlier.map(({ since }) => since)).toEqual([START - 0.9 * MINUTE]);
});
