import { describe, expect, test } from 'vitest';
import { type FallStatus, fallStatuses, type Signal } from '#shared/domain/event/message.ts';
import {
  type Fall,
  type FallPhase,
  fallStateOf,
  hasFallForPeople,
  hasOpenFallOrTrack,
  isAlarm,
  isUnchanged,
  isWorthWriting,
  maxHeartbeatGap,
  mayLieThere,
  newSensorState,
  reactivated,
  type SensorState,
  SWEEP_SECONDS,
  silentAt,
  subjectOf,
  type Track,
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
/** The state and events that result from these signals. */
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
  test('a presence change causes an event, but a repeated report does not', () => {
    const signals = [true, true, false, false, true].map(presence);
    expect(play(signals).situations).toEqual([['occupied_room'], [], ['empty_room'], [], ['occupied_room']]);
  });

  test('the first presence report causes an event only if the room is occupied', () => {
    expect(play([presence(true)]).situations).toEqual([['occupied_room']]);
    expect(play([presence(false), presence(true)]).situations).toEqual([[], ['occupied_room']]);
  });
});

test('a fall causes one event per status', () => {
  const order = ['fall_detected', 'fall_confirmed', 'calling', 'finished'] as const;
  const signals = order.flatMap((status) => [fall(status), fall(status)]);
  const expected = ['fall_suspected', 'fall_confirmed', 'fall_detected', 'fall_finished'];
  expect(play(signals).situations).toEqual(expected.flatMap((situation) => [[situation], []]));
});

test('a fall first reported as calling raises an alarm with a position', () => {
  const { events } = play([fall('calling')]);
  expect(events).toMatchObject([{ situation: 'fall_detected', point: { x: 1, y: 2, z: 3 }, newFall: true }]);
});

test('a fall that ends without calling counts as canceled', () => {
  for (const status of ['fall_exit', 'canceled'] as const)
    expect(play([fall('fall_detected'), fall(status)]).situations).toEqual([['fall_suspected'], ['fall_canceled']]);
});

test('a different start time means a new fall', () => {
  expect(play([fall('calling', 1_000), fall('calling', 1_001)]).situations).toEqual([
    ['fall_detected'],
    ['fall_detected'],
  ]);
});

test('a fall is not reported again after other falls on the same sensor', () => {
  const between = [2_000, 3_000, 4_000].map((start) => fall('calling', start));
  expect(play([fall('calling'), ...between, fall('calling')]).situations.at(-1)).toEqual([]);
});

test.each(fallStatuses)('a finished fall stays finished even if the device reports %s', (status) => {
  expect(play([fall('calling'), fall('finished'), fall(status)]).situations.at(-1)).toEqual([]);
});

test('a fall is exempt from rate limits when suspected and again when reported', () => {
  const { events } = play([fall('fall_detected'), fall('fall_confirmed'), fall('calling'), fall('finished')]);
  expect(events.map(({ situation, newFall }) => [situation, newFall])).toEqual([
    ['fall_suspected', true],
    ['fall_confirmed', false],
    ['fall_detected', true],
    ['fall_finished', false],
  ]);
});

test('an event shows whether the fall was simulated or silent', () => {
  const signal = { ...fall('calling'), isSimulated: true, isSilent: true } as Signal;
  expect(play([signal]).events).toMatchObject([{ isSimulated: true, isSilent: true }]);
});

test('the stored state stays within the size limit, regardless of the number of falls', () => {
  const many = Array.from({ length: 1_000 }, (_, start) => fall('calling', start));
  expect(JSON.stringify(encodeState({ ...play(many).state, decision: null })).length).toBeLessThan(4_096);
});

describe('sensor activity', () => {
  test('a sensor becomes active with its first message', () => {
    expect(play([presence(true)], newSensorState).situations).toEqual([['occupied_room', 'sensor_active']]);
    expect(play([still, still], newSensorState).situations).toEqual([['sensor_active'], []]);
  });

  test('an older message does not change the last-seen time', () => {
    const at = (time: number) => messageTime(time, null);
    const first = step(active, still, at(20_000), noRoomContext).state;
    expect(step(first, still, at(10_000), noRoomContext).state.lastSeen).toBe(20_000);
  });

  test('an unknown message causes an event without a situation', () => {
    expect(play([{ kind: 'unknown' }]).events).toMatchObject([
      { situation: null, type: 'unknown', action: 'received', code: null },
    ]);
  });

  test('a state message from an active sensor does not cause an event', () => {
    expect(play([still]).events).toEqual([]);
  });
});

test('step returns a new state without modifying the previous one', () => {
  const before = structuredClone(active);
  play([presence(true), fall('calling'), fall('finished')]);
  expect(active).toEqual(before);
});

test('an offline sensor is detected even with only one sweep in three minutes', () => {
  expect(maxHeartbeatGap(SWEEP_SECONDS, 300)).toBeGreaterThan(3 * 60_000);
  // An unnoticed outage plus a sensor's reporting interval has to be shorter than the inactivity time.
  expect(maxHeartbeatGap(SWEEP_SECONDS, 300) + 60_000).toBeLessThan(300_000);
});

test('maxHeartbeatGap is two thirds of the inactivity timeout, between 2.5 and 5 sweeps', () => {
  expect([60, 225, 300, 450, 3_600].map((after) => maxHeartbeatGap(60, after))).toEqual([
    150_000, 150_000, 200_000, 300_000, 300_000,
  ]);
  expect([maxHeartbeatGap(10, 300), maxHeartbeatGap(200, 300)]).toEqual([200_000, 500_000]);
});

describe('inactivity', () => {
  const seen = { ...active, lastSeen: 1_000_000 };
  test('inactivity starts later if newer messages may not have been stored', () => {
    expect(silentAt(seen, 0, 300)).toBe(1_300_000);
    expect(silentAt({ ...seen, isSteady: true }, 0, 300)).toBe(1_375_000);
  });

  test('a service outage restarts the inactivity timeout', () => {
    expect(silentAt(seen, 1_200_000, 300)).toBe(1_500_000);
    expect(silentAt({ ...seen, isSteady: true }, 1_050_000, 300)).toBe(1_375_000);
  });
});

describe('sensor state', () => {
  const before: SensorState = { ...active, version: 3, lastSeen: 1_000_000, tracks: [{ id: 1, at: 5 }] };
  test('isUnchanged is true if only the report times are newer', () => {
    const later = { lastSeen: 2_000_000, presenceAt: 1, regionsAt: 2, last: { hash: 'h', at: 3 } };
    expect(isUnchanged(before, { ...before, ...later, tracks: [{ id: 1, at: 9 }] })).toBe(true);
    expect(isUnchanged(before, { ...before, tracks: undefined } as never)).toBe(false);
    expect(isUnchanged(before, { ...before, presence: true })).toBe(false);
    expect(isUnchanged(before, { ...before, tracks: [{ id: 1, at: 5, pose: 5 }] })).toBe(false);
    const down = (at: number): SensorState => ({ ...before, tracks: [{ id: 1, at, fallPostures: ['fallen'] }] });
    expect([isUnchanged(down(5), down(5)), isUnchanged(down(5), down(6))]).toEqual([true, false]);
  });

  test('a state is written if it is new or changed, or if the stored last-seen time is too far off', () => {
    const at = (lastSeen: number) => isWorthWriting(before, { ...before, lastSeen }, 300);
    expect([1_000_000, 1_074_999, 1_075_000, 999_999].map(at)).toEqual([false, false, true, true]);
    expect(isWorthWriting({ ...before, version: 0 }, { ...before, version: 0 }, 300)).toBe(true);
    expect(isWorthWriting(before, { ...before, presence: false }, 300)).toBe(true);
  });

  test('a reactivated sensor has no tracks, signs or vital alarms', () => {
    const kept = { ...before, isActive: true, people: 2, presence: true };
    const { tracks: _, ...rest } = kept;
    expect(reactivated({ ...kept, isActive: false, isSteady: true, signs: { a: 1 }, vitals: { b: 'apnea' } })).toEqual(
      rest,
    );
  });
});

describe('sensor falls', () => {
  const of = (start: number, phases: FallPhase[], more: Partial<Fall> = {}): Fall => ({ start, phases, ...more });
  const state = (...falls: Fall[]): SensorState => ({ ...active, falls });
  const tracked = (track: Partial<Track>): SensorState => ({ ...active, tracks: [{ id: 7, ...track }] });
  test('a fall is open until it is finished or canceled', () => {
    for (const [phases, open] of [
      [['detected'], true],
      [['detected', 'calling'], true],
      [['calling', 'finished'], false],
      [['detected', 'canceled'], false],
    ] as const)
      expect([phases, hasOpenFallOrTrack(state(of(1, ['finished']), of(2, [...phases])))]).toEqual([phases, open]);
    expect(hasOpenFallOrTrack(active)).toBe(false);
    expect(hasOpenFallOrTrack(tracked({}))).toBe(false);
    expect(hasOpenFallOrTrack(tracked({ fallPostures: ['suspected'] }))).toBe(true);
    expect(hasOpenFallOrTrack(tracked({ fallPostures: ['fallen'], isClosed: true }))).toBe(false);
  });

  test('a fall that timed out still appears open to people', () => {
    const byTime = of(1, ['calling', 'finished'], { endedByTime: 9 });
    expect([mayLieThere(byTime), mayLieThere(of(1, ['finished'])), mayLieThere(of(1, ['calling']))]).toEqual([
      true,
      false,
      true,
    ]);
    expect([hasFallForPeople(state(byTime)), hasOpenFallOrTrack(state(byTime))]).toEqual([true, false]);
    expect(hasFallForPeople(state(of(2, ['finished']), byTime))).toBe(true);
    expect([
      hasFallForPeople(state(of(1, ['finished']))),
      hasFallForPeople(tracked({ fallPostures: ['fallen'] })),
    ]).toEqual([false, true]);
  });

  test.each<[Fall[], string | null]>([
    [[], null],
    [[of(1, ['detected'])], 'detected'],
    [[of(1, ['detected', 'confirmed'])], 'confirmed'],
    [[of(1, ['calling', 'detected', 'confirmed'])], 'calling'],
    [[of(1, ['finished', 'calling'])], 'finished'],
    [[of(1, ['calling', 'canceled'])], null],
    [[of(1, ['calling']), of(2, ['detected'])], 'detected'],
    [[of(2, ['detected']), of(1, ['calling'])], 'detected'],
    [[of(1, ['calling']), of(2, ['detected'], { isSensitive: true })], 'calling'],
    [[of(1, [])], null],
  ])('fallStateOf follows the newest fall, ignoring sensitive detection: %o', (falls, expected) => {
    expect(fallStateOf(state(...falls))).toBe(expected);
  });

  test('a repeated alarm has a different subject from the first', () => {
    expect(subjectOf({ id: 7 })).toEqual({ track: 7 });
    expect(subjectOf({ id: 7, since: 5 })).toEqual({ track: 7, fall: 5 });
    expect(subjectOf({ id: 7, since: 5, alarmedAgain: 9 })).toEqual({ track: 7, fall: 9, began: 5 });
    expect((['suspected', 'fallen', 'sitting_suspected', 'sitting'] as const).filter(isAlarm)).toEqual([
      'fallen',
      'sitting',
    ]);
  });
});
