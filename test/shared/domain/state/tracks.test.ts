import { describe, expect, test } from 'vitest';
import type { Signal } from '#shared/domain/event/message.ts';
import type { Region } from '#shared/domain/sensor/room.ts';
import { newSensorState, type SensorState, type Track } from '#shared/domain/sensor/sensor-state.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';

const SECOND = 1_000;
const start = 1_800_000_000_000;
const region = (positionIdx: number, kind: Region['kind'] = 'default') =>
  ({ id: `r${positionIdx}`, positionIdx, name: `R${positionIdx}`, kind, presenceDetectionEnabled: true }) as Region;
const regions = [region(0, 'bed'), region(1), region(2, 'door')];
const context = { ...noRoomContext, regions, bounds: regions };
const named = (index: number) => ({ id: `r${index}`, index, name: `R${index}` });
const stateOf = (...tracks: Track[]): SensorState => ({ ...newSensorState, isActive: true, tracks });

const pose = (track: number, number: number): Signal => ({ kind: 'postures', postures: [{ track, pose: number }] });
const move = (track: number, entered: boolean, index: number | null = null): Signal => ({
  kind: 'moves',
  moves: [{ track, entered, area: index === null ? null : { index, kind: null } }],
});
const people = (count: number): Signal => ({ kind: 'people', count });

/** The state and events that result from signals at these device times (ms after the start). */
const play = (from: SensorState, ...signals: readonly (readonly [at: number, signal: Signal])[]) => {
  let state = from;
  const events = signals.map(([at, signal], index) => {
    const next = step(state, signal, messageTime(start + 3_600 * SECOND + index, start + at), context);
    state = next.state;
    return next.events;
  });
  return {
    state,
    events,
    last: events.at(-1) ?? [],
    situations: events.map((all) => all.map(({ situation }) => situation).join(' ')),
  };
};

describe('track falls', () => {
  test('track fall events name the region where the fall began', () => {
    const { events } = play(
      stateOf(),
      [0, move(1, true, 0)],
      [1, move(1, true, 1)],
      [2, pose(1, 2)],
      [3, move(1, true, 2)],
      [4, pose(1, 5)],
      [5, pose(1, 11)],
    );
    expect(events.slice(2).map((all) => all.map(({ situation, region }) => [situation, region]))).toEqual([
      [['fall_suspected', named(1)]],
      [['door_entered', named(2)]],
      [['fall_detected', named(1)]],
      [
        ['fall_finished', named(1)],
        ['sitting_up_in_bed', named(2)],
      ],
    ]);
  });
  test('a track fall has no region if the person was in none', () => {
    const { last } = play(stateOf(), [0, move(1, true, 0)], [1, move(1, false, 0)], [2, pose(1, 5)]);
    expect(last).toMatchObject([{ situation: 'fall_detected', region: null }]);
  });
  test('track fall events name the track and the start of the fall', () => {
    const { events } = play(stateOf(), [0, pose(7, 2)], [9, pose(7, 5)], [20, pose(7, 1)]);
    const subject = { track: 7, fall: start };
    expect(events.flat().map((event) => event.subject)).toEqual([subject, subject, subject]);
    expect(events.flat().map(({ newFall }) => newFall)).toEqual([true, true, false]);
  });
  test('every track fall ends when the room is empty', () => {
    const { last } = play(stateOf(), [0, pose(1, 2)], [1, pose(2, 5)], [2, pose(3, 1)], [3, people(1)], [4, people(0)]);
    expect(last.map(({ situation, subject }) => [situation, subject?.track])).toEqual([
      ['empty_room', undefined],
      ['fall_canceled', 1],
      ['fall_finished', 2],
    ]);
  });
  test('a track without a fall is dropped before a track with a fall', () => {
    const others = Array.from({ length: 20 }, (_, at) => [at + 1, pose(at + 2, 1)] as const);
    const { state } = play(stateOf(), [0, pose(1, 5)], ...others);
    expect(state.tracks?.map(({ id }) => id)).toEqual([1, 15, 16, 17, 18, 19, 20, 21]);
  });
  test('a suspected fall during an ongoing fall does not count toward a loop', () => {
    const falls = (...poses: number[]) =>
      play(stateOf(), ...poses.map((number, at) => [at, pose(1, number)] as const)).situations.join(' ');
    expect(falls(2, 1, 2, 1, 2)).toContain('fall_loop');
    expect(falls(7, 1, 7, 1, 7)).not.toContain('fall_loop');
    expect(falls(7, 2, 1, 7, 2, 1, 7, 2)).not.toContain('fall_loop');
  });
});

describe('late track alarms', () => {
  const at = 10 * SECOND;
  test('a late alarm on a track turns a suspected fall into an alarm', () => {
    const { state, last } = play(stateOf(), [0, pose(1, 2)], [at, pose(1, 2)], [at - 1, pose(1, 5)]);
    expect(last).toMatchObject([{ situation: 'fall_detected', subject: { track: 1, fall: start } }]);
    expect(state.tracks).toMatchObject([{ fallPostures: ['suspected', 'fallen'] }]);
    expect(play(state, [at + 1, pose(1, 1)]).situations).toEqual(['fall_finished']);
  });
  test('a late alarm on a track resets the loop', () => {
    const { state } = play({ ...stateOf(), loop: [1, 2] }, [0, pose(1, 7)], [at, pose(1, 7)], [at - 1, pose(1, 5)]);
    expect(state.loop).toBeUndefined();
  });
  test('a late alarm on a track is ignored if the fall was closed or already raised an alarm', () => {
    const closed: Track = { id: 1, at: start + at, pose: 5, since: start, fallPostures: ['suspected'], isClosed: true };
    expect(play(stateOf(closed), [at - 1, pose(1, 5)]).last).toMatchObject([{ action: 'late' }]);
    const raised: Track = { id: 1, at: start + at, pose: 5, since: start, fallPostures: ['fallen'] };
    expect(play(stateOf(raised), [at - 1, pose(1, 5)]).last).toMatchObject([{ action: 'late' }]);
  });
  test('a late alarm on a track is still raised if the fall ended without one', () => {
    const up: Track = { id: 1, at: start + at, pose: 1 };
    const { state, last } = play(stateOf(up), [at - 1, pose(1, 5)]);
    const subject = { track: 1, fall: start + at - 1 };
    expect(last).toMatchObject([
      { situation: 'fall_detected', subject, newFall: true },
      { situation: 'fall_finished', subject },
    ]);
    expect(state.tracks).toEqual([{ ...up, alarmedUpTo: start + at }]);
  });
  test('a late alarm on a track is ignored if the person has got up since an alarm', () => {
    const fall = [0, pose(1, 5)] as const;
    const { state, last } = play(stateOf(), fall, [at, pose(1, 1)], [at - 1, pose(1, 5)]);
    expect(last).toMatchObject([{ action: 'late' }]);
    expect(state.tracks).toEqual([{ id: 1, at: start + at, pose: 1, alarmedUpTo: start + at }]);
    const suspected = [0, pose(1, 2)] as const;
    const { situations } = play(stateOf(), suspected, [at, pose(1, 1)], [at - 1, pose(1, 5)]);
    expect(situations.at(-1)).toBe('fall_detected fall_finished');
  });
  test('a late alarm on a track is ignored if it is older than the last alarm', () => {
    const track: Track = { id: 1, at: start + at, pose: 1, alarmedUpTo: start + 5 };
    expect(play(stateOf(track), [4, pose(1, 5)]).last).toMatchObject([{ action: 'late' }]);
    expect(play(stateOf(track), [5, pose(1, 5)]).situations).toEqual(['fall_detected fall_finished']);
  });
  test('a late pose that is not a fall does not raise an alarm', () => {
    for (const number of [1, 2, 7, 11])
      expect(play(stateOf({ id: 1, at: start + at, pose: 1 }), [at - 1, pose(1, number)]).last).toMatchObject([
        { action: 'late' },
      ]);
  });
});

describe('track moves', () => {
  test('a move is ignored if a newer report on the same track has arrived', () => {
    const { state, last } = play(stateOf(), [9, move(1, true, 0)], [8, move(1, false, 0)]);
    expect(last).toMatchObject([{ action: 'late' }]);
    expect(state.tracks).toEqual([{ id: 1, at: start + 9, areas: { 0: 'in' }, inside: [0] }]);
  });
  test("a track keeps a person's current areas in order of entry", () => {
    const { state, events } = play(
      stateOf(),
      [0, move(1, true, 0)],
      [1, move(1, true, 1)],
      [2, move(1, true, 0)],
      [3, move(1, false, 1)],
    );
    expect(state.tracks).toEqual([{ id: 1, at: start + 3, areas: { 0: 'in', 1: 'out' }, inside: [0] }]);
    expect(events.flat()).toMatchObject([
      { situation: 'bed_entered', region: named(0), subject: { track: 1 } },
      { situation: 'region_entered', region: named(1), subject: { track: 1 } },
      { situation: 'region_left', region: named(1), subject: { track: 1 } },
    ]);
  });
  test('re-entering an area does not cause an event', () => {
    const { state, situations } = play(stateOf(), [0, move(1, true, 0)], [1, move(1, true, 1)], [2, move(1, true, 0)]);
    expect(situations[2]).toBe('');
    expect(state.tracks?.[0]).toMatchObject({ inside: [1, 0], at: start + 2 });
  });
  test('a track keeps at most 8 area states and 16 current areas', () => {
    const entered = Array.from({ length: 20 }, (_, index) => [index, move(1, true, index + 10)] as const);
    const [track] = play(stateOf(), ...entered).state.tracks ?? [];
    expect(track?.inside).toEqual(Array.from({ length: 16 }, (_, at) => at + 14));
    expect(Object.keys(track?.areas ?? {})).toHaveLength(8);
  });
  test('the track of a person who left is kept only if the device has a clock', () => {
    const left = (from: Track) => play(stateOf(from), [9, move(1, false)]).state.tracks;
    expect(left({ id: 1, pose: 1 })).toEqual([{ id: 1, at: start + 9 }]);
    expect(left({ id: 1, pose: 5, fallPostures: ['fallen'], since: start })).toEqual([
      { id: 1, at: start + 9, alarmedUpTo: start + 9 },
    ]);
    expect(left({ id: 1, pose: 2, fallPostures: ['suspected'], since: start, alarmedUpTo: start + 1 })).toEqual([
      { id: 1, at: start + 9, alarmedUpTo: start + 1 },
    ]);
    const unset = step(stateOf({ id: 1, pose: 1 }), move(1, false), messageTime(start, null), context);
    expect(unset.state.tracks).toEqual([]);
  });
  test('the tracks of people who left are dropped first', () => {
    const there: Track[] = Array.from({ length: 7 }, (_, at) => ({ id: at + 1, pose: 1 }));
    const areas: Track = { id: 20, areas: { 0: 'in' } };
    const { state } = play(stateOf(...there, areas, { id: 30, at: start }), [1, pose(40, 1)]);
    expect(state.tracks?.map(({ id }) => id)).toEqual([2, 3, 4, 5, 6, 7, 20, 40]);
  });
});

test('a report of the number of people is ignored if a newer one has arrived', () => {
  const { state, last } = play(stateOf(), [9, people(1)], [8, people(0)]);
  expect(state).toMatchObject({ people: 1, presenceAt: start + 9 });
  expect(last).toEqual([]);
  const unset = step(stateOf(), people(1), messageTime(start, null), context);
  expect(unset.state).toMatchObject({ people: 1 });
  expect(unset.state).not.toHaveProperty('presenceAt');
});
