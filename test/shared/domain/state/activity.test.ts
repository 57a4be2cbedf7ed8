import { describe, expect, test } from 'vitest';
import { DAY } from '#shared/domain/event/event.ts';
import type { FallSignal, Signal } from '#shared/domain/event/message.ts';
import type { Situation } from '#shared/domain/kinds.ts';
import { type Fall, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { alarmBy } from '#shared/domain/state/due-move.ts';
import { rememberedFalls } from '#shared/domain/state/falls.ts';
import { durationsOf, messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { endsLearning, step } from '#shared/domain/state/step.ts';
import { isMostlyUnknown, understandingAfter } from '#shared/domain/state/understanding.ts';

const start = 1_800_000_000_000;
const active: SensorState = { ...newSensorState, version: 5, isActive: true, lastSeen: start };
const still: Signal = { kind: 'state', firmware: null };
const fall = (more: Partial<FallSignal> = {}): FallSignal => ({
  kind: 'fall',
  status: 'fall_detected',
  start,
  isSensitive: false,
  point: null,
  isSimulated: false,
  isSilent: false,
  ...more,
});
const apply = (state: SensorState, signal: Signal, received = start + 1) =>
  step(state, signal, messageTime(received, null), noRoomContext);

describe('sensors', () => {
  test('a sensor counts as steady after the second message', () => {
    const first = apply({ ...newSensorState, lastSeen: start }, still).state;
    expect(first).not.toHaveProperty('isSteady');
    expect(apply(first, still, first.lastSeen).state).not.toHaveProperty('isSteady');
    expect(apply(first, still, first.lastSeen + 1).state.isSteady).toBe(true);
  });
  test('only unknown messages count as not understood', () => {
    expect(apply(active, { kind: 'unknown' }).state.understanding).toEqual({
      since: start + 1,
      understood: 5,
      unknown: 1,
    });
    const { state } = apply({ ...active, understanding: { since: start, understood: 1, unknown: 2 } }, still);
    expect(state.understanding).toEqual({ since: start, understood: 2, unknown: 2 });
    expect(apply(active, still).state).not.toHaveProperty('understanding');
  });
  test('a sensor stays in the learning phase while fall reports say so', () => {
    const learning = apply(active, fall({ isLearning: true })).state;
    expect(learning.learning).toBe(true);
    expect(apply(learning, still).state.learning).toBe(true);
    expect(apply(learning, fall({ start: start + 1 })).state.learning).toBe(true);
    const learned = apply(learning, fall({ start: start + 1, isLearning: false })).state;
    expect(learned).not.toHaveProperty('learning');
    expect(apply(learned, still).state).not.toHaveProperty('learning');
  });
  test('the learning phase ends when a fall report says so', () => {
    const learning: SensorState = { ...active, learning: true };
    const notLearning = fall({ isLearning: false });
    expect(endsLearning(learning, notLearning)).toBe(true);
    expect(endsLearning(active, notLearning)).toBe(false);
    expect([fall(), fall({ isLearning: true }), still].map((signal) => endsLearning(learning, signal))).not.toContain(
      true,
    );
  });
});

describe('understood message counts', () => {
  const counts = { since: start, understood: 8, unknown: 9 };
  const countsAfter = (isUnderstood: boolean, at: number) =>
    understandingAfter(
      { version: 1, falls: [], understanding: counts },
      isUnderstood ? still : { kind: 'unknown' },
      at,
    );
  test('message counts are halved each day', () => {
    expect(countsAfter(false, start + DAY - 1)).toEqual({ understanding: { ...counts, unknown: 10 } });
    expect(countsAfter(false, start + DAY)).toEqual({
      understanding: { since: start + DAY, understood: 4, unknown: 5 },
    });
    expect(countsAfter(true, start + 2 * DAY + 5)).toEqual({
      understanding: { since: start + 2 * DAY, understood: 3, unknown: 2 },
    });
    expect(countsAfter(true, start + 400 * DAY)).toEqual({});
    expect(countsAfter(false, start - DAY)).toEqual({ understanding: { ...counts, unknown: 10 } });
  });
  test('message counts show whether most recent messages were unknown', () => {
    expect(isMostlyUnknown({ understanding: counts })).toBe(true);
    expect(isMostlyUnknown({ understanding: { ...counts, understood: 9 } })).toBe(false);
    expect(isMostlyUnknown({})).toBe(false);
  });
});

describe('suspected falls', () => {
  const timings = { confirm: 50, alert: 40, calling: 30 };
  const suspected: Fall = { start, phases: ['detected'], at: start };
  test('a suspected fall becomes an alarm 3 s after the configured durations', () => {
    expect(alarmBy(suspected, timings)).toBe(start + 93_000);
    expect(alarmBy({ ...suspected, phases: ['detected', 'confirmed'] }, timings)).toBe(start + 43_000);
  });
  test.each<[string, Partial<Fall>]>([
    ['is already an alarm', { phases: ['detected', 'calling'] }],
    ['has ended', { phases: ['detected', 'canceled'] }],
    ['was detected by the sensitivity mode', { isSensitive: true }],
    ['has no known beginning', { phases: [] }],
  ])('a suspected fall never becomes an alarm if it %s', (_, more) => {
    expect(alarmBy({ ...suspected, ...more }, timings)).toBeNull();
  });
  test('ended falls are dropped first, then falls with an alarm, then suspected falls', () => {
    const pending: Fall[] = [1, 2].map((at) => ({ start: at, phases: ['detected'] }));
    const alarmed: Fall[] = [3, 4, 5, 6].map((at) => ({ start: at, phases: ['calling'] }));
    const ended: Fall[] = [7, 8, 9].map((at) => ({ start: at, phases: ['calling', 'finished'] }));
    const newest: Fall = { start: 10, phases: ['finished'] };
    const starts = (...falls: Fall[]) => rememberedFalls(falls).map((each) => each.start);
    expect(starts(...pending, ...alarmed, ...ended, newest)).toEqual([1, 2, 3, 4, 5, 6, 9, 10]);
    expect(starts(...pending, ...alarmed, ...alarmed, newest)).toContain(1);
  });
  test('sensitive falls never count toward a loop', () => {
    const many = [1, 2, 3].map((at) => fall({ start: start + at, isSensitive: true, status: 'fall_detected' }));
    let state = active;
    for (const signal of many) state = apply(state, signal).state;
    expect(state.loop).toBeUndefined();
    const point = { x: 1, y: 2 };
    const { events } = apply({ ...active, loop: [start - 1, start] }, fall({ point, isSilent: true }));
    expect(events.at(-1)).toMatchObject({ situation: 'fall_loop', point, region: null, isSilent: true });
  });
  test('suspected falls count toward a loop in any order', () => {
    const { events } = apply({ ...active, loop: [start + 50_000, start + 1] }, fall(), start);
    expect(events.map(({ situation }) => situation)).toContain('fall_loop');
    expect(apply({ ...active, loop: [start + 300_001, start + 1] }, fall(), start).state.loop).toEqual([
      start + 1,
      start + 300_001,
    ]);
  });
});

test('a fall stays acknowledged when the device reports it again', () => {
  const falls: Fall[] = [{ start, phases: ['calling'], at: start, isAcknowledged: true }];
  expect(apply({ ...active, falls }, fall({ status: 'fall_confirmed' })).state.falls).toMatchObject([
    { phases: ['calling', 'confirmed'], isAcknowledged: true },
  ]);
  expect(
    apply({ ...active, falls: [{ start, phases: ['calling'] }] }, fall({ status: 'fall_confirmed' })).state.falls[0],
  ).not.toHaveProperty('isAcknowledged');
});

describe('vital alarms', () => {
  const vital = (alarm: Situation | null, hasReading = true): Signal => ({ kind: 'vital', alarm, hasReading });
  const play = (...alarms: Situation[]) => {
    let state = active;
    return alarms.map((alarm) => {
      const next = apply(state, vital(alarm));
      state = next.state;
      return next.events.length;
    });
  };
  test('alarms for different vital signs can be active at the same time', () => {
    expect(
      play('heart_rate_high', 'apnea', 'vital_signs_weak', 'heart_rate_high', 'apnea', 'vital_signs_weak'),
    ).toEqual([1, 1, 1, 0, 0, 0]);
  });
  test('a vital alarm replaces the previous alarm for the same vital sign', () => {
    expect(play('heart_rate_high', 'heart_rate_low', 'heart_rate_high')).toEqual([1, 1, 1]);
    expect(play('respiration_high', 'apnea', 'respiration_low', 'respiration_high')).toEqual([1, 1, 1, 1]);
  });
  test('a vital alarm ends only with a normal reading', () => {
    const { state } = apply(active, vital('apnea'));
    expect(apply(state, vital(null, false)).state.vitals).toEqual({ respiration: 'apnea' });
    expect(apply(state, vital(null)).state).not.toHaveProperty('vitals');
  });
});

test('an ongoing condition is reported again after an hour without reports', () => {
  const tilted: Signal = { kind: 'sign', situation: 'sensor_tilted' };
  const { state } = apply(active, tilted, start);
  expect(apply(state, tilted, start + 3_599_999).events).toEqual([]);
  expect(apply(state, tilted, start + 3_600_000).events).toMatchObject([{ situation: 'sensor_tilted' }]);
  expect(apply(apply(state, tilted, start + 3_000_000).state, tilted, start + 6_000_000).events).toEqual([]);
  expect(apply(state, { kind: 'sign', situation: 'sensor_weak_signal' }, start + 1).events).toHaveLength(1);
});

test('a message with several late parts counts as late only once', () => {
  const tracks = [
    { id: 1, at: start, pose: 1 },
    { id: 2, at: start, pose: 1 },
  ];
  const late: Signal = {
    kind: 'moves',
    moves: [1, 2].map((track) => ({ track, entered: true, area: null })),
  };
  const { events } = step({ ...active, tracks }, late, messageTime(start + 9, start - 1), noRoomContext);
  expect(events.map(({ action }) => action)).toEqual(['late']);
  expect(apply(active, { kind: 'unknown' }).events).toMatchObject([
    { situation: null, type: 'unknown', action: 'received' },
  ]);
});

describe('suspected falls with firmware before v0.40', () => {
  const old = { ...noRoomContext, ...durationsOf(null, 39) };
  const begin = (state: SensorState, more: Partial<FallSignal> = {}) =>
    step(state, fall(more), messageTime(start + 1, null), old);
  test('old firmware confirms a suspected fall at once', () => {
    expect(begin(active).events.map(({ situation }) => situation)).toEqual(['fall_suspected', 'fall_confirmed']);
    const of = (phase: 'confirmed' | 'calling') => begin({ ...active, falls: [{ start, phases: [phase], at: start }] });
    expect(of('confirmed').events.map(({ situation }) => situation)).toEqual(['fall_suspected']);
    expect(of('calling').events.map(({ situation }) => situation)).toEqual(['fall_suspected']);
    expect(of('calling').state.loop).toBeUndefined();
  });
  test('old firmware does not confirm a fall detected in sensitivity mode', () => {
    expect(begin(active, { isSensitive: true }).events.map(({ situation }) => situation)).toEqual([
      'fall_suspected_sensitive',
    ]);
  });
});

test('fall durations are never negative, regardless of configuration', () => {
  const negative = {
    durationUntilConfirmSec: -5,
    energyDurationUntilConfirm: -1,
    confirmedToAlertTimeoutSec: -1,
    callingDurationSec: -9,
  };
  expect(durationsOf(negative, 42).timings).toEqual({ confirm: 0, alert: 0, calling: 0 });
  expect(durationsOf({ durationUntilConfirmSec: 0 }, 41).timings.confirm).toBe(0);
});
