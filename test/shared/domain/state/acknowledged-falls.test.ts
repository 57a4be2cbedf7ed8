import { describe, expect, test } from 'vitest';
import { fallKeyOf } from '#shared/domain/event/fall-key.ts';
import { type Fall, newSensorState, type SensorState, type Track } from '#shared/domain/sensor/sensor-state.ts';
import { answerStep, isAcknowledged, newestKeyOf } from '#shared/domain/state/answers.ts';

const start = 1_800_000_000_000;
const stateOf = (falls: Fall[], tracks?: Track[]): SensorState => ({
  ...newSensorState,
  falls,
  ...(tracks && { tracks }),
});
const fallKey = (subject: object) => fallKeyOf({ fall: start, ...subject }) ?? '';
const acknowledge = { isAcknowledged: true, closedAt: null };
const withdraw = { isAcknowledged: false, closedAt: null };
const close = { isAcknowledged: true, closedAt: start + 99 };

describe('acknowledging a maker A fall', () => {
  const open: Fall = { start, phases: ['calling'], at: start };
  const other: Fall = { start: start + 1, phases: ['calling'], at: start };
  const sensitive: Fall = { ...open, isSensitive: true };
  const timedOut: Fall = { start, phases: ['calling', 'finished'], isUnreported: true, endedByTime: start + 9 };

  test('acknowledging a fall does not affect other falls', () => {
    const before = stateOf([open, other, sensitive]);
    const { state, events } = answerStep(before, fallKey({}), acknowledge);
    expect(events).toEqual([]);
    expect(state).toEqual(stateOf([{ ...open, isAcknowledged: true }, other, sensitive]));
    const keys = [fallKey({}), fallKey({ fall: start + 1 }), fallKey({ isSensitive: true }), fallKey({ fall: 5 })];
    expect(keys.map((key) => isAcknowledged(state, key))).toEqual([true, false, false, false]);
    expect(answerStep(state, fallKey({}), withdraw).state).toEqual(before);
    expect(isAcknowledged(answerStep(before, fallKey({ isSensitive: true }), acknowledge).state, fallKey({}))).toBe(
      false,
    );
  });
  test('a fall can be acknowledged while someone may still be on the floor', () => {
    expect(answerStep(stateOf([timedOut]), fallKey({}), acknowledge).state.falls).toEqual([
      { ...timedOut, isAcknowledged: true },
    ]);
    const ended: Fall = { start, phases: ['calling', 'finished'] };
    expect(answerStep(stateOf([ended]), fallKey({}), acknowledge).state.falls).toEqual([ended]);
  });
  test('acknowledging a fall does not change the newest alarm key', () => {
    expect(newestKeyOf(stateOf([open]), fallKey({}))).toBe(fallKey({}));
  });
});

describe('closing a maker A fall', () => {
  test('people can close a fall even after it has timed out', () => {
    const timedOut: Fall = {
      start,
      phases: ['calling', 'finished'],
      isUnreported: true,
      endedByTime: start + 9,
      isSimulated: true,
      isAcknowledged: true,
    };
    const { state, events } = answerStep(stateOf([timedOut]), fallKey({}), close);
    expect([state.falls, events]).toEqual([[{ start, phases: ['calling', 'finished'], closedAt: start + 99 }], []]);
  });
  test('closing a forgotten fall adds it back to the state', () => {
    const forgotten = { start, phases: ['finished'], closedAt: start + 99 };
    expect(answerStep(stateOf([]), fallKey({}), close).state.falls).toEqual([forgotten]);
    expect(answerStep(stateOf([]), fallKey({ isSensitive: true }), close).state.falls).toEqual([
      { ...forgotten, isSensitive: true },
    ]);
  });
  test("closing a fall leaves the sensor's other falls open", () => {
    const open: Fall = { start: start + 1, phases: ['calling'] };
    expect(answerStep(stateOf([open]), fallKey({}), close).state.falls).toMatchObject([open, { closedAt: start + 99 }]);
    const closed: Fall = { start, phases: ['finished'], closedAt: start };
    expect(answerStep(stateOf([open, closed]), fallKey({}), close).state).toEqual(stateOf([open, closed]));
  });
});

describe('track falls', () => {
  const down: Track = { id: 7, since: start, fallPostures: ['fallen'], region: { id: 'r', index: 2, name: 'Bed' } };
  const key = fallKey({ track: 7 });
  const other: Track = { ...down, id: 8 };

  test('acknowledging a track fall does not affect other tracks', () => {
    const { state, events } = answerStep(stateOf([], [down, other]), key, acknowledge);
    expect([state.tracks, events]).toEqual([[{ ...down, isAcknowledged: true }, other], []]);
    expect([key, fallKey({ track: 8 }), fallKey({ track: 9 })].map((each) => isAcknowledged(state, each))).toEqual([
      true,
      false,
      false,
    ]);
    expect(answerStep(state, key, withdraw).state.tracks).toEqual([down, other]);
  });
  test('a track fall ends only once when people close it', () => {
    const closing = answerStep(stateOf([], [{ ...down, isAcknowledged: true }, other]), key, close);
    expect(closing.events).toMatchObject([
      { situation: 'fall_finished', region: down.region, subject: { track: 7, fall: start } },
    ]);
    expect(closing.state.tracks).toEqual([{ ...down, isClosed: true }, other]);
    expect(answerStep(closing.state, key, close)).toEqual({ state: closing.state, events: [] });
    const suspected = stateOf([], [{ ...down, fallPostures: ['suspected'] }]);
    expect(answerStep(suspected, key, close).events).toMatchObject([{ situation: 'fall_canceled' }]);
  });
  test.each([
    ['has got up', { id: 7, pose: 1, since: start }],
    ['fell again later', { ...down, since: start + 1 }],
  ])('a track fall cannot be acknowledged or closed once the person %s', (_, track: Track) => {
    const state = stateOf([], [track]);
    for (const answer of [acknowledge, withdraw, close])
      expect(answerStep(state, key, answer)).toEqual({ state, events: [] });
    expect(isAcknowledged(stateOf([], [{ ...track, isAcknowledged: true }]), key)).toBe(false);
    expect(answerStep(stateOf([]), key, close)).toEqual({ state: stateOf([]), events: [] });
  });
  test('the newest key of a track fall is the key of its latest alarm', () => {
    const again = fallKey({ track: 7, fall: start + 60_000, began: start });
    expect(newestKeyOf(stateOf([], [down, other]), key)).toBe(key);
    expect(newestKeyOf(stateOf([], [{ ...down, alarmedAgain: start + 60_000 }, other]), key)).toBe(again);
    expect(newestKeyOf(stateOf([], [{ ...down, alarmedAgain: start + 90_000 }]), again)).toBe(
      fallKey({ track: 7, fall: start + 90_000, began: start }),
    );
    expect(newestKeyOf(stateOf([], []), again)).toBe(again);
    expect(newestKeyOf(stateOf([]), again)).toBe(again);
    expect(isAcknowledged(stateOf([]), again)).toBe(false);
  });
});
