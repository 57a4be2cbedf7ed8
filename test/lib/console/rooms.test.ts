import { describe, expect, test } from 'vitest';

// Imported through paths the compiler cannot see, because the console has separate compiler settings.
const folder = new URL('../../../lib/console/sensors/', import.meta.url).pathname;
const { collapsed } = (await import(`${folder}collapse.ts`)) as {
  collapsed: (rooms: readonly number[], isNormal: (room: number) => boolean) => { shown: number[]; hidden: number[] };
};
type Lane = { name: string; spans: { from: number; to: number }[]; moments: number[] };
const { todayOf, countOf, lengthOf } = (await import(`${folder}room/today.ts`)) as {
  todayOf: (events: readonly object[], options: object) => { knownFrom: number; lanes: Lane[] };
  countOf: (lane: Lane) => number;
  lengthOf: (lane: Lane) => number;
};
const { gapsOf, rulesOf } = (await import(`${folder}room/watching.ts`)) as {
  gapsOf: (watch: object, sensorId: string) => string[];
  rulesOf: (rules: readonly object[], situation: string, room: object) => { id: number }[];
};

describe('a long group of rooms', () => {
  const rooms = Array.from({ length: 22 }, (_, at) => at);

  test('shows eight rooms, including those that are not normal', () => {
    const { shown, hidden } = collapsed(rooms, (room) => room !== 20);
    expect(shown).toEqual([0, 1, 2, 3, 4, 5, 6, 20]);
    expect(hidden).toHaveLength(14);
  });

  test('shows every room that is not normal, however many there are', () => {
    expect(collapsed(rooms, (room) => room >= 12).shown).toEqual(rooms.slice(0, 12));
    expect(collapsed(rooms, () => false)).toEqual({ shown: rooms, hidden: [] });
  });

  test('shows every room if shortening the group would hide fewer than three', () => {
    expect(collapsed(rooms.slice(0, 10), () => true).hidden).toEqual([]);
    expect(collapsed(rooms.slice(0, 11), () => true).hidden).toEqual([8, 9, 10]);
  });
});

const HOUR = 3_600_000;
const NOW = 1_795_240_000_000;
const period = { from: NOW - 24 * HOUR, to: NOW };
const event = (name: string, hoursAgo: number) => {
  const [type, action] = name.split('/');
  return { type, action, createDate: NOW - hoursAgo * HOUR };
};
/** What happened in a room, from events in chronological order. */
const today = (events: readonly object[], options: object = {}) =>
  todayOf(events.toReversed(), { period, isWhole: true, hasOpenFall: false, ...options });
const span = (from: number, to: number) => ({ from: NOW - from * HOUR, to: NOW - to * HOUR });

test('the last-day timeline shows presence from start to end, clipped at 24 hours ago', () => {
  const { lanes } = today([
    event('presence/occupied_room', 30),
    event('presence/empty_room', 20),
    event('presence/occupied_room', 5),
  ]);
  expect(lanes).toEqual([{ name: 'present', spans: [span(24, 20), span(5, 0)], moments: [] }]);
  expect(lanes.map((lane) => [countOf(lane), lengthOf(lane)])).toEqual([[2, 9 * HOUR]]);
});

test('the last-day timeline counts a state only once if it is reported twice', () => {
  const events = [
    event('presence/occupied_room', 6),
    event('presence/occupied_room', 5),
    event('presence/empty_room', 4),
  ];
  expect(today(events).lanes[0]?.spans).toEqual([span(6, 4)]);
});

test('the last-day timeline shows time in bed, or bed exits if sensors report nothing else', () => {
  expect(today([event('bed/entered', 9), event('bed/left', 2)]).lanes).toEqual([
    { name: 'inBed', spans: [span(9, 2)], moments: [] },
  ]);
  expect(today([event('bed/left', 9), event('bed/left', 2)]).lanes).toEqual([
    { name: 'inBed', spans: [], moments: [NOW - 9 * HOUR, NOW - 2 * HOUR] },
  ]);
});

test('the last-day timeline extends a fall to the present only while it is open', () => {
  const events = [event('fall/fall_suspected', 3), event('fall/fall_detected', 2)];
  expect(today(events, { hasOpenFall: true }).lanes).toEqual([{ name: 'onFloor', spans: [span(2, 0)], moments: [] }]);
  expect(today(events).lanes).toEqual([{ name: 'onFloor', spans: [], moments: [NOW - 2 * HOUR] }]);
  expect(today([...events, event('fall/finished', 1)]).lanes[0]?.spans).toEqual([span(2, 1)]);
});

test('the last-day timeline has no row for events that did not happen or were only suspected', () => {
  const events = [event('fall/fall_suspected', 3), event('fall/canceled', 2.9), event('sensor/active', 1)];
  expect(today(events).lanes).toEqual([]);
});

test('the last-day timeline starts at the oldest event read if older ones exist', () => {
  const events = [event('presence/empty_room', 4)];
  expect(today(events).knownFrom).toBe(period.from);
  expect(today(events, { isWhole: false }).knownFrom).toBe(NOW - 4 * HOUR);
  expect(today([event('presence/empty_room', 40)], { isWhole: false }).knownFrom).toBe(period.from);
});

describe('the rules that watch a room', () => {
  const rule = (id: number, more: object = {}) => ({
    id,
    isEnabled: true,
    situation: 'fall_detected',
    sensorId: null,
    sensorGroupId: null,
    ...more,
  });
  const idsOf = (rules: readonly object[], groupId: number | null = 5) =>
    rulesOf(rules, 'fall_detected', { sensorId: 'a', groupId }).map(({ id }) => id);

  test('a room is watched by enabled rules for all rooms, the room itself, and its group', () => {
    const rules = [
      rule(1),
      rule(2, { sensorId: 'a' }),
      rule(3, { sensorGroupId: 5 }),
      rule(4, { sensorId: 'b' }),
      rule(5, { sensorGroupId: 6 }),
      rule(6, { isEnabled: false }),
      rule(7, { situation: 'bed_left' }),
    ];
    expect(idsOf(rules)).toEqual([1, 2, 3]);
    expect(idsOf(rules, null)).toEqual([1, 2]);
  });

  test("a room's gaps list each kind only once", () => {
    const gaps = [
      { kind: 'sensor_offline', sensorIds: ['a', 'b'] },
      { kind: 'hours_without_rule', sensorIds: ['a'] },
      { kind: 'hours_without_rule', sensorIds: ['a'] },
      { kind: 'silent_mode', sensorIds: ['b'] },
      { kind: 'nobody_on_duty', ruleIds: [1] },
    ];
    expect(gapsOf({ gaps }, 'a')).toEqual(['sensor_offline', 'hours_without_rule']);
  });
});
