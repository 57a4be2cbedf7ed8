import { expect, test } from 'vitest';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/', import.meta.url).pathname;
type Item = { keys: readonly string[]; rounds: number };
type Row = { kind: string; sensorId: string; since: number; falls: number; step: number };
const { boardOf, soundingOf } = (await import(`${folder}overview/board.ts`)) as {
  boardOf: (alarms: readonly object[], unreported: readonly object[], userId: number | null, now: number) => Row[];
  soundingOf: (rows: readonly Row[]) => { alarms: Item[]; suspicions: Item[] };
};
const { alarmsOf } = (await import(`${folder}overview/alarms.ts`)) as {
  alarmsOf: (hits: readonly object[]) => object[];
};
const { roomNameOf } = (await import(`${folder}overview/room-name.ts`)) as {
  roomNameOf: (name: string) => { number: string | null; word: string | null; rest: string };
};
const { coverageOf } = (await import(`${folder}overview/coverage.ts`)) as {
  coverageOf: (watch: object) => { watched: number; all: number; rooms: { sensorId: string; kind: string }[] };
};
const { createSchedule } = (await import(`${folder}sound/schedule.ts`)) as {
  createSchedule: () => (sounding: { alarms: Item[]; suspicions: Item[]; isLost: boolean }, now: number) => string[];
};

const START = 1_795_240_000_000;
const MINUTE = 60_000;
const ME = 7;
const hit = (id: number, minute: number, more: object = {}) => ({
  id,
  createDate: START + minute * MINUTE,
  updateDate: START + minute * MINUTE,
  sensorId: 'a',
  sensorEventId: `event ${id}`,
  situation: 'fall_detected',
  sensor: { name: 'Room 1' },
  ruleMessages: [],
  acknowledgement: null,
  feedback: null,
  closure: null,
  ...more,
});
const by = (userId: number, minute: number) => ({
  acknowledgement: { userId, name: 'Anna Meier', date: START + minute * MINUTE },
});
const fall = (sensorId: string, minute: number, more: object = {}) => ({
  sensorId,
  name: 'Room 2',
  since: START + minute * MINUTE,
  fallState: 'calling',
  isSensitive: false,
  isSimulated: false,
  uuid: 'event',
  acknowledgement: null,
  ...more,
});
const board = (hits: readonly object[], falls: readonly object[] = []) =>
  boardOf(alarmsOf(hits), falls, ME, START + 10 * MINUTE);

test("sorts open alarms first, then the user's alarms, suspicions, offline sensors and other users' alarms", () => {
  const rows = board(
    [
      hit(1, 0, { sensorId: 'b', ...by(8, 1) }),
      hit(2, 1, { sensorId: 'c', situation: 'sensor_inactive' }),
      hit(3, 2, { sensorId: 'd', ...by(ME, 3) }),
      hit(4, 3, { sensorId: 'e' }),
    ],
    [fall('f', 4, { fallState: 'detected' }), fall('g', 2)],
  );
  expect(rows.map(({ kind, sensorId }) => `${kind} ${sensorId}`)).toEqual([
    'open g',
    'open e',
    'mine d',
    'suspected f',
    'offline c',
    'theirs b',
  ]);
});

test('shows a fall as a suspicion until the sensor reports it, whatever rules fire earlier', () => {
  const kindsOf = (hits: readonly object[], falls: readonly object[]) => board(hits, falls).map(({ kind }) => kind);
  for (const fallState of ['detected', 'confirmed']) {
    expect(kindsOf([], [fall('a', 0, { fallState })])).toEqual(['suspected']);
    const early = ['fall_suspected', 'fall_confirmed'].map((situation, at) => hit(at, 0, { situation }));
    expect(kindsOf(early, [fall('a', 0, { fallState })])).toEqual(['suspected']);
  }
  expect(kindsOf([], [fall('a', 0)])).toEqual(['open']);
  expect(kindsOf([hit(1, 0, { situation: 'fall_confirmed' })], [])).toEqual(['suspected']);
  expect(kindsOf([hit(1, 0, { situation: 'fall_confirmed' }), hit(2, 0)], [])).toEqual(['open']);
});

test("reopens a room's row after a second fall, and counts both falls", () => {
  expect(board([hit(1, 0, by(ME, 1)), hit(2, 5)])).toMatchObject([
    { kind: 'open', falls: 2, since: START + 5 * MINUTE },
  ]);
  // Several rules fire for the same fall.
  expect(board([hit(1, 0), hit(2, 0, { sensorEventId: 'event 1' })])).toMatchObject([{ kind: 'open', falls: 1 }]);
  expect(board([hit(1, 0, by(ME, 1))], [fall('a', 6)])).toMatchObject([{ kind: 'open', falls: 2 }]);
});

test('keeps an acknowledged alarm until the fall is closed', () => {
  const closure = { outcome: 'helped', userId: 8, name: 'Ben', date: START + 2 * MINUTE };
  expect(board([hit(1, 0, by(ME, 1))])).toMatchObject([{ kind: 'mine', since: START + MINUTE }]);
  expect(board([hit(1, 0, { ...by(ME, 1), closure })])).toEqual([]);
});

test('a display shows an acknowledged alarm as acknowledged by another user', () => {
  const hits = [hit(1, 0, { acknowledgement: { userId: null, name: 'Anna', date: START } })];
  expect(boardOf(alarmsOf(hits), [], null, START)).toMatchObject([{ kind: 'theirs' }]);
});

test('finds the room number in a name', () => {
  expect(roomNameOf('Room 106, south wing')).toEqual({ number: '106', word: 'Room', rest: 'south wing' });
  expect(roomNameOf('Zimmer 12b')).toEqual({ number: '12b', word: 'Zimmer', rest: '' });
  expect(roomNameOf('214')).toEqual({ number: '214', word: null, rest: '' });
  expect(roomNameOf('חדר 12')).toEqual({ number: '12', word: null, rest: 'חדר' });
  expect(roomNameOf('Winter garden')).toEqual({ number: null, word: null, rest: 'Winter garden' });
  expect(roomNameOf('Sensor ABC12345')).toEqual({ number: null, word: null, rest: 'Sensor ABC12345' });
});

test('counts a room with several gaps only once', () => {
  const names = { sensors: { a: 'Room 1' } };
  const gaps = [
    { kind: 'sensor_offline', sensorIds: ['a', 'b'], total: 2 },
    { kind: 'silent_mode', sensorIds: ['a'], total: 1 },
    { kind: 'no_rule_for_silence', sensorIds: ['c'], total: 1 },
  ];
  expect(coverageOf({ sensors: 5, gaps, names, fallsTold: 'some' })).toMatchObject({
    watched: 3,
    rooms: [{ sensorId: 'a', kind: 'sensor_offline' }, { sensorId: 'b' }],
  });
  expect(coverageOf({ sensors: 5, gaps, names, fallsTold: 'none' }).watched).toBe(0);
  const many = [{ kind: 'sensor_offline', sensorIds: ['a'], total: 3 }];
  expect(coverageOf({ sensors: 5, gaps: many, names, fallsTold: 'some' }).watched).toBe(2);
});

const item = (key: string, rounds = 0): Item => ({ keys: [key], rounds });
/** The sounds in each second, by their initials. */
const soundsOf =
  (schedule: ReturnType<typeof createSchedule>, seconds: number, from = 0) =>
  (sounding: object) =>
    Array.from({ length: seconds }, (_, at) =>
      schedule({ alarms: [], suspicions: [], isLost: false, ...sounding }, (from + at) * 1_000)
        .map(([initial]) => initial)
        .join(''),
    );

test('sounds every four seconds until an alarm is acknowledged, louder and more often after a minute', () => {
  const schedule = createSchedule();
  const alarms = [item('a')];
  expect(soundsOf(schedule, 9)({ alarms })).toEqual(['a', '', '', '', 'a', '', '', '', 'a']);
  expect(soundsOf(schedule, 6, 62)({ alarms })).toEqual(['l', '', '', 'l', '', '']);
  expect(soundsOf(schedule, 6, 70)({})).toEqual(['', '', '', '', '', '']);
});

test('sounds at once for a second alarm or a new round', () => {
  const schedule = createSchedule();
  expect(soundsOf(schedule, 2)({ alarms: [item('fall')] })).toEqual(['a', '']);
  expect(soundsOf(schedule, 1, 2)({ alarms: [{ keys: ['hit', 'fall'], rounds: 0 }] })).toEqual(['']);
  expect(soundsOf(schedule, 2, 3)({ alarms: [{ keys: ['hit', 'fall'], rounds: 1 }] })).toEqual(['a', '']);
  expect(soundsOf(schedule, 2, 5)({ alarms: [{ keys: ['hit'], rounds: 1 }, item('second')] })).toEqual(['a', '']);
});

test('sounds only once for a suspicion, and every four seconds while nothing is being watched', () => {
  const schedule = createSchedule();
  expect(soundsOf(schedule, 3)({ suspicions: [item('s')] })).toEqual(['s', '', '']);
  expect(soundsOf(schedule, 5, 3)({ isLost: true })).toEqual(['n', '', '', '', 'n']);
  expect(soundsOf(createSchedule(), 3)({ isLost: true, alarms: [item('a')] })).toEqual(['a', '', 'n']);
});

test('sounds only for unacknowledged alarms', () => {
  const rows = board([
    hit(1, 0, { sensorId: 'b', ...by(ME, 1) }),
    hit(2, 1),
    hit(3, 2, { sensorId: 'c', situation: 'sensor_inactive' }),
  ]);
  const { alarms, suspicions } = soundingOf(rows);
  expect([alarms.map(({ keys }) => keys), suspicions.map(({ keys }) => keys)]).toEqual([[['hit 2']], [['hit 3']]]);
});
