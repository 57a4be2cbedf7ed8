import { describe, expect, test } from 'vitest';
import type { FallSignal, FallStatus } from '#shared/domain/event/message.ts';
import type { RegionBounds } from '#shared/domain/sensor/region-of-point.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { step } from '#shared/domain/state/step.ts';
import { hasOpenFall, nextCheck, nextClear, nextMove, passTime } from '#shared/domain/state/time.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const start = 1_800_000_000_000;
const { timings } = noRoomContext;
const active: SensorState = { ...newSensorState, isActive: true, lastSeen: start };

const bounds = (name: string, positionIdx: number, left: number): RegionBounds => ({
  id: name,
  name,
  positionIdx,
  topLeftX: left,
  topLeftY: 100,
  bottomRightX: left + 100,
  bottomRightY: 0,
  zMin: 0,
  zMax: 200,
});
const context = { ...noRoomContext, bounds: [bounds('Bed', 0, 0), bounds('Table', 1, 200)] };
const atBed = { x: 50, y: 50, z: 0 };
const atTable = { x: 250, y: 50, z: 0 };
const nowhere = { x: 150, y: 50, z: 0 };
const bed = { id: 'Bed', index: 0, name: 'Bed' };
const table = { id: 'Table', index: 1, name: 'Table' };

type Report = Partial<FallSignal> & { status: FallStatus };
/** The state and events that result from fall reports, each at the given time (ms) after the start. */
const play = (from: SensorState, ...reports: readonly (readonly [at: number, report: Report, time?: number])[]) => {
  let state = from;
  const events = reports.map(([at, report, time]) => {
    const signal: FallSignal = {
      kind: 'fall',
      start,
      isSensitive: false,
      point: null,
      isSimulated: false,
      isSilent: false,
      ...report,
    };
    const when = messageTime(start + at, time === undefined ? null : start + time);
    const next = step(state, signal, when, context);
    state = next.state;
    return next.events;
  });
  return { state, events: events.flat(), situations: events.map((all) => all.map(({ situation }) => situation)) };
};
const pass = (state: SensorState, ms: number) =>
  passTime(state, { now: start + ms, silentAt: Number.POSITIVE_INFINITY, timings });

describe('fall events', () => {
  test('fall events name the region where the fall began', () => {
    const { events } = play(
      active,
      [0, { status: 'fall_detected', point: atBed }],
      [1, { status: 'calling', point: atTable }],
      [2, { status: 'finished' }],
    );
    expect(events.map(({ point, region }) => [point, region])).toEqual([
      [atBed, bed],
      [atTable, bed],
      [atTable, bed],
    ]);
  });
  test('fall events do not name a region if the fall began outside all regions', () => {
    const { events } = play(
      active,
      [0, { status: 'fall_detected', point: nowhere }],
      [1, { status: 'calling', point: atTable }],
    );
    expect(events.map(({ region }) => region)).toEqual([null, null]);
  });
  test('fall events name the region of the first known position of the fall', () => {
    const { events } = play(active, [0, { status: 'fall_detected' }], [1, { status: 'calling', point: atTable }]);
    expect(events.map(({ point, region }) => [point, region])).toEqual([
      [null, null],
      [atTable, table],
    ]);
  });
  test('fall events identify the fall by its start time', () => {
    const { events } = play(
      active,
      [0, { status: 'calling' }],
      [1, { status: 'calling', isSensitive: true }],
      [2, { status: 'calling', start: null }],
    );
    expect(events.map(({ subject }) => subject)).toEqual([{ fall: start }, { fall: start, isSensitive: true }]);
    const unknown = play(active, [7, { status: 'calling', start: null }]);
    expect(unknown.events.map(({ subject }) => subject)).toEqual([{ fall: start + 7 }]);
  });
  test.each([
    [{}, false, false],
    [{ isSimulated: true }, true, false],
    [{ isSilent: true }, false, true],
  ])(
    'time-based fall events are marked as simulated or silent if the last report was: %j',
    (marks, isSimulated, isSilent) => {
      const { state } = play(active, [0, { status: 'fall_detected', point: atBed, ...marks }]);
      const { events } = pass(state, 200 * SECOND);
      expect(events.map(({ happening }) => happening.situation)).toEqual([
        'fall_confirmed',
        'fall_detected',
        'fall_finished',
      ]);
      for (const { happening } of events)
        expect(happening).toMatchObject({ isSimulated, isSilent, point: atBed, region: bed, subject: { fall: start } });
    },
  );
});

describe('ended falls', () => {
  test('an ended fall keeps only what is needed to recognize duplicate and late reports', () => {
    const { state } = play(
      active,
      [0, { status: 'calling', point: atBed, isSimulated: true, isSilent: true }],
      [1, { status: 'finished', point: atBed }],
    );
    expect(state.falls).toEqual([{ start, phases: ['calling', 'finished'] }]);
    const sensitive = play(
      active,
      [0, { status: 'calling', isSensitive: true }],
      [1, { status: 'finished', isSensitive: true }],
    );
    expect(sensitive.state.falls).toEqual([{ start, phases: ['calling', 'finished'], isSensitive: true }]);
  });
  test('an ended fall keeps the time of the newest report', () => {
    const falls = (time: number) =>
      play(active, [9, { status: 'calling' }, 0], [10, { status: 'finished' }, time]).state.falls;
    expect(falls(0)).toEqual([{ start, phases: ['calling', 'finished'] }]);
    expect(falls(5)).toEqual([{ start, phases: ['calling', 'finished'], time: start + 5 }]);
  });
  test.each([
    [atBed, bed],
    [nowhere, null],
  ])('a late alarm for an ended fall names the region of the fall: %j', (point, region) => {
    const early = { status: 'fall_detected', point } as const;
    const { state } = play(active, [20, early, 0], [21, { status: 'canceled' }, 9]);
    expect(state.falls).toEqual([{ start, phases: ['detected', 'canceled'], time: start + 9, region }]);
    const late = play(state, [22, { status: 'calling', point: atTable }, 5]);
    expect(late.events).toMatchObject([{ situation: 'fall_detected', region }]);
  });
  test('a late alarm can provide the first position of an ended fall', () => {
    const { events } = play(
      active,
      [20, { status: 'fall_detected' }, 0],
      [21, { status: 'canceled' }, 9],
      [22, { status: 'calling', point: atTable }, 5],
    );
    expect(events.at(-1)).toMatchObject({ situation: 'fall_detected', region: table });
  });
  test('a report is late only if a newer report about the same fall has arrived', () => {
    const { state } = play(active, [20, { status: 'calling' }, 5]);
    expect(play(state, [21, { status: 'fall_confirmed' }, 4]).events).toMatchObject([{ action: 'late' }]);
    expect(play(state, [21, { status: 'fall_confirmed' }, 5]).situations).toEqual([['fall_confirmed']]);
    // A report from before the start of the fall is late as well.
    expect(
      play(active, [20, { status: 'calling' }], [21, { status: 'fall_confirmed' }, -1]).events.at(-1)?.action,
    ).toBe('late');
    expect(
      play(
        active,
        [20, { status: 'calling', start: null }],
        [21, { status: 'finished', start: null }, -1],
      ).situations.at(-1),
    ).toEqual(['fall_finished']);
  });
});

describe('undated reports', () => {
  const startless = (status: FallStatus, more: Partial<FallSignal> = {}) => ({ status, start: null, ...more });
  test('an undated report belongs to the previous undated fall for up to two minutes', () => {
    const falls = (at: number) =>
      play(active, [0, startless('calling')], [at, startless('calling')]).situations.map(([situation]) => situation);
    expect(falls(120 * SECOND)).toEqual(['fall_detected', undefined]);
    expect(falls(120 * SECOND + 1)).toEqual(['fall_detected', 'fall_detected']);
  });
  test('an undated report belongs to a dated fall for up to two minutes after the last change', () => {
    const falls = (at: number) =>
      play(
        active,
        [0, { status: 'fall_detected' }],
        [60 * SECOND, { status: 'calling' }],
        [at, startless('calling')],
      ).situations.at(-1);
    expect(falls(180 * SECOND)).toEqual([]);
    expect(falls(180 * SECOND + 1)).toEqual(['fall_detected']);
  });
  test('the two minutes for undated reports start at the last report with the same status', () => {
    const { situations } = play(
      active,
      [0, startless('fall_detected')],
      [100 * SECOND, startless('calling')],
      [121 * SECOND, startless('fall_detected')],
      [122 * SECOND, startless('calling')],
    );
    expect(situations).toEqual([['fall_suspected'], ['fall_detected'], ['fall_suspected'], ['fall_detected']]);
  });
  test('an undated report never belongs to a fall detected in a different mode', () => {
    const { situations } = play(active, [0, startless('calling')], [1, startless('finished', { isSensitive: true })]);
    expect(situations).toEqual([['fall_detected'], ['fall_finished']]);
    const { state } = play(active, [0, startless('calling')], [1, startless('calling', { isSensitive: true })]);
    expect(state.falls).toHaveLength(2);
  });
});

describe('timed-out falls', () => {
  const alarmed = play(active, [0, { status: 'calling', isSimulated: true }]).state;
  const ends = 182 * SECOND;
  const timedOut = pass(alarmed, ends).state;

  test('a timed-out fall still appears open to people for two hours', () => {
    const [fall] = timedOut.falls;
    expect(fall).toEqual({
      start,
      phases: ['calling', 'finished'],
      isUnreported: true,
      endedByTime: start + ends,
      isSimulated: true,
    });
    expect([hasOpenFall(alarmed), hasOpenFall(timedOut)]).toEqual([true, false]);
    expect([nextClear(alarmed), nextClear(timedOut)]).toEqual([Number.POSITIVE_INFINITY, start + ends + 2 * HOUR]);
    expect(nextMove(timedOut, timings, 'any')).toBe(start + ends + 2 * HOUR);
    expect(nextMove(timedOut, timings, 'alarm')).toBe(Number.POSITIVE_INFINITY);
    const before = pass(timedOut, ends + 2 * HOUR - 1);
    expect(before.state).toBe(timedOut);
    expect(pass(timedOut, ends + 2 * HOUR)).toEqual({
      state: { ...timedOut, falls: [{ start, phases: ['calling', 'finished'], isUnreported: true }] },
      events: [],
    });
  });
  test('a timed-out fall keeps its acknowledgement for two hours', () => {
    const falls = alarmed.falls.map((fall) => ({ ...fall, isAcknowledged: true as const }));
    const acknowledged = pass({ ...alarmed, falls }, ends).state;
    expect(acknowledged.falls).toMatchObject([{ isAcknowledged: true }]);
    expect(pass(acknowledged, ends + 2 * HOUR).state.falls[0]).not.toHaveProperty('isAcknowledged');
  });
  test('a timed-out fall is cleared after two hours, without affecting other falls', () => {
    const two = pass(play(timedOut, [HOUR, { status: 'calling', start: start + HOUR }]).state, HOUR + ends).state;
    const cleared = pass(two, ends + 2 * HOUR).state;
    expect(cleared.falls.map(({ endedByTime }) => endedByTime)).toEqual([undefined, start + HOUR + ends]);
  });
  test.each<FallStatus>(['finished', 'canceled', 'fall_exit'])(
    'a timed-out fall no longer appears open to people after a %s report',
    (status) => {
      const { state, situations } = play(timedOut, [HOUR, { status }]);
      expect(situations).toEqual([[]]);
      expect(state.falls).toEqual([{ start, phases: ['calling', 'finished'] }]);
      // This also holds once the fall is no longer shown.
      const cleared = pass(timedOut, ends + 2 * HOUR).state;
      expect(play(cleared, [3 * HOUR, { status }]).state.falls).toEqual([{ start, phases: ['calling', 'finished'] }]);
    },
  );
  test.each<FallStatus>(['fall_detected', 'fall_confirmed', 'calling'])(
    'a timed-out fall still appears open to people after a %s report',
    (status) => {
      expect(play(timedOut, [HOUR, { status }]).state.falls).toEqual(timedOut.falls);
    },
  );
  test('a timed-out suspected fall no longer appears open to people', () => {
    const suspected = play(active, [0, { status: 'fall_detected', isSensitive: true }]).state;
    const over = { start, phases: ['detected', 'finished'], isSensitive: true, isUnreported: true };
    expect(pass(suspected, ends).state.falls).toEqual([over]);
    expect(play(pass(suspected, ends).state, [HOUR, { status: 'calling', isSensitive: true }]).state.falls).toEqual([
      { ...over, phases: ['detected', 'finished', 'calling'] },
    ]);
  });
  test('a timed-out fall does not change when another fall ends', () => {
    const two = pass(play(alarmed, [1, { status: 'calling', start: start + 1 }]).state, ends + 1).state;
    const { state } = play(two, [HOUR, { status: 'finished' }]);
    expect(state.falls.map(({ isUnreported = false }) => isUnreported)).toEqual([false, true]);
  });
});

describe('next check', () => {
  test('nextCheck ignores falls that can only time out', () => {
    expect(nextCheck(active, timings)).toBe(Number.POSITIVE_INFINITY);
    const called = play(active, [0, { status: 'calling' }]).state;
    expect(nextCheck(called, timings)).toBe(Number.POSITIVE_INFINITY);
    const begun = play(
      called,
      [10, { status: 'fall_detected', start: start + 10 }],
      [5, { status: 'fall_detected', start: start + 5 }],
    ).state;
    expect(nextCheck(begun, timings)).toBe(start + 5 + 55 * SECOND);
  });
  test('falls advance in the order they are due, regardless of report order', () => {
    const { state } = play(
      active,
      [10 * SECOND, { status: 'fall_detected', start: start + 2 }],
      [0, { status: 'fall_detected', start: start + 1 }],
    );
    const { events } = pass(state, 70 * SECOND);
    expect(events.map(({ happening }) => happening.subject?.fall)).toEqual([start + 1, start + 2]);
  });
});

test('a sensor becomes inactive only after its pending fall events', () => {
  const { state } = play(active, [0, { status: 'fall_detected' }]);
  const { events, state: later } = passTime(state, {
    now: start + 60 * SECOND,
    silentAt: start + 60 * SECOND,
    timings,
  });
  expect(events.map(({ happening, createDate }) => [happening.situation, createDate - start])).toEqual([
    ['fall_confirmed', 52 * SECOND],
    ['sensor_inactive', 60 * SECOND],
  ]);
  expect(later.isActive).toBe(false);
  expect(passTime(newSensorState, { now: start, silentAt: 0, timings })).toEqual({ state: newSensorState, events: [] });
});
