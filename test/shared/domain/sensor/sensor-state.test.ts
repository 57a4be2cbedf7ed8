import { describe, expect, test } from 'vitest';
import { type FallStatus, fallStatuses, type Signal } from '#shared/domain/event/message.ts';
import {
  maxHeartbeatGap,
  newSensorState,
  type SensorState,
  SWEEP_SECONDS,
} from '#shared/domain/sensor/sensor-state.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { encodeState } from '#shared/store/sensors/state-item.ts';

const active: SensorState = { ...newSensorState, isActive: true };
const presence = (present: boolean): Signal => ({ kind: 'presence', present, regions: {}, point: null });
const fall = (status: FallStatus, start = 1_000): Signal => ({
  kind: 'fall',
  status,
  start,
  isSensitive: false,
  point: { x: 1, y: 2, z: 3 },
  isSimulated: false,
  isSilent: false,
});
const still: Signal = { kind: 'state', firmware: null };
/** The state after these signals, and their events. */
const play = (signals: readonly Signal[], from = active) => {
  let state = from;
  const events = signals.map((signal, at) => {
    const result = step(state, signal, messageTime(10_000 + at, null), noRoomContext);
    state = result.state;
    return result.events;
  });
  return { state, events: events.flat(), situations: events.map((all) => all.map(({ situation }) => situation)) };
};

describe('presence', () => {
  test('causes an event when it changes, and none when it is repeated', () => {
    const signals = [true, true, false, false, true].map(presence);
    expect(play(signals).situations).toEqual([['occupied_room'], [], ['empty_room'], [], ['occupied_room']]);
  });
  test('causes an event at the first report if somebody is in the room', () => {
    expect(play([presence(true)]).situations).toEqual([['occupied_room']]);
    expect(play([presence(false), presence(true)]).situations).toEqual([[], ['occupied_room']]);
  });
});

describe('a fall', () => {
  test('causes one event per status, and is reported by calling, not by fall_detected', () => {
    const order = ['fall_detected', 'fall_confirmed', 'calling', 'finished'] as const;
    const signals = order.flatMap((status) => [fall(status), fall(status)]);
    const expected = ['fall_suspected', 'fall_confirmed', 'fall_detected', 'fall_finished'];
    expect(play(signals).situations).toEqual(expected.flatMap((situation) => [[situation], []]));
  });
  test('raises an alarm with its point for calling without an earlier status', () => {
    const { events } = play([fall('calling')]);
    expect(events).toMatchObject([{ situation: 'fall_detected', point: { x: 1, y: 2, z: 3 }, newFall: true }]);
  });
  test('counts as canceled if it ended early', () => {
    for (const status of ['fall_exit', 'canceled'] as const)
      expect(play([fall('fall_detected'), fall(status)]).situations).toEqual([['fall_suspected'], ['fall_canceled']]);
  });
  test('counts as a new fall if it has a new start', () => {
    expect(play([fall('calling', 1_000), fall('calling', 1_001)]).situations).toEqual([
      ['fall_detected'],
      ['fall_detected'],
    ]);
  });
  test('stays known while others are reported', () => {
    const between = [2_000, 3_000, 4_000].map((start) => fall('calling', start));
    expect(play([fall('calling'), ...between, fall('calling')]).situations.at(-1)).toEqual([]);
  });
  test.each(fallStatuses)('stays finished: %s then causes no event', (status) => {
    expect(play([fall('calling'), fall('finished'), fall(status)]).situations.at(-1)).toEqual([]);
  });
  test('bypasses rate limits when it is suspected or reported', () => {
    const { events } = play([fall('fall_detected'), fall('fall_confirmed'), fall('calling'), fall('finished')]);
    expect(events.map(({ situation, newFall }) => [situation, newFall])).toEqual([
      ['fall_suspected', true],
      ['fall_confirmed', false],
      ['fall_detected', true],
      ['fall_finished', false],
    ]);
  });
  test('marks its event as simulated or silent', () => {
    const signal = { ...fall('calling'), isSimulated: true, isSilent: true } as Signal;
    expect(play([signal]).events).toMatchObject([{ isSimulated: true, isSilent: true }]);
  });
  test('leaves a stored state of bounded size after any number of falls', () => {
    const many = Array.from({ length: 1_000 }, (_, start) => fall('calling', start));
    expect(JSON.stringify(encodeState({ ...play(many).state, decision: null })).length).toBeLessThan(4_096);
  });
});

describe('activity', () => {
  test('begins with the first message of any kind, after the event of the message itself', () => {
    expect(play([presence(true)], newSensorState).situations).toEqual([['occupied_room', 'sensor_active']]);
    expect(play([still, still], newSensorState).situations).toEqual([['sensor_active'], []]);
  });
  test('lasts from the newest message, in any order of receipt', () => {
    const at = (time: number) => messageTime(time, null);
    const first = step(active, still, at(20_000), noRoomContext).state;
    expect(step(first, still, at(10_000), noRoomContext).state.lastSeen).toBe(20_000);
  });
  test('follows from an unknown message, too, which causes an event that no rule can name', () => {
    expect(play([{ kind: 'unknown' }]).events).toMatchObject([
      { situation: null, type: 'unknown', action: 'received', code: null },
    ]);
  });
  test('causes no event for a state message while active', () => {
    expect(play([still]).events).toEqual([]);
  });
});

test('leaves the previous state unchanged in a step', () => {
  const before = structuredClone(active);
  play([presence(true), fall('calling'), fall('finished')]);
  expect(active).toEqual(before);
});

test('does not count one sweep in three minutes as an outage, so that offline sensors are detected', () => {
  expect(maxHeartbeatGap(SWEEP_SECONDS, 300)).toBeGreaterThan(3 * 60_000);
  // An unnoticed outage and the interval of a sensor fit into the time after which it is inactive.
  expect(maxHeartbeatGap(SWEEP_SECONDS, 300) + 60_000).toBeLessThan(300_000);
});
