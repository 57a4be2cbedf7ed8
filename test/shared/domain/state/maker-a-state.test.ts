import { describe, expect, test } from 'vitest';
import { decodeMakerA } from '#shared/domain/makers/maker-a/decode.ts';
import { RoomUpdate } from '#shared/domain/sensor/room.ts';
import { numberRegions } from '#shared/domain/sensor/room-rules.ts';
import { fallStateOf, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { durationsOf, messageTime, noRoomContext, type RoomContext } from '#shared/domain/state/room-context.ts';
import { needsOf, step } from '#shared/domain/state/step.ts';
import { nextMove, passTime } from '#shared/domain/state/time.ts';
import { a, room } from '#test/fixtures/messages.ts';

const SECOND = 1_000;
const active: SensorState = { ...newSensorState, isActive: true };
const regions = numberRegions(RoomUpdate.parse(room).regions, [], () => crypto.randomUUID());
const roomContext: RoomContext = { ...noRoomContext, regions };

/** The state and events that result from messages received `everyMs` apart. */
const play = (messages: readonly object[], everyMs = SECOND, from = active, context = roomContext) => {
  let state = from;
  const events = messages.map((message, index) => {
    const time = index * everyMs;
    const next = step(state, decodeMakerA(message).signal, messageTime(time, null), context);
    state = next.state;
    return next.events;
  });
  return { state, events, situations: events.map((each) => each.map(({ situation }) => situation).join(' ')) };
};

describe('maker A regions', () => {
  test("entering or leaving a region causes an event of the region's kind", () => {
    const messages = [
      a.presence(true, { presenceRegionMap: { 0: 1, 1: 0, 2: 1 } }),
      a.presence(true, { presenceRegionMap: { 0: 1, 1: 0, 2: 1 } }),
      a.regions({ 0: 0, 1: 1 }),
      a.regions({ 1: 0, 2: 0 }),
    ];
    const { situations, events } = play(messages);
    expect(situations).toEqual([
      'occupied_room bed_entered region_entered',
      '',
      'bed_left door_entered',
      'door_left region_left',
    ]);
    expect(events[0]?.map(({ region }) => region?.name)).toEqual([undefined, 'Bed', 'Table']);
  });
  test('an empty region in the first report does not cause an event', () => {
    expect(play([a.presence(false, { presenceRegionMap: { 0: 0, 1: 0 } })]).situations).toEqual(['']);
  });
  test('a region without presence detection does not cause an event', () => {
    const disabled = regions.map((region) => ({ ...region, presenceDetectionEnabled: false }));
    const context = { ...roomContext, regions: disabled };
    expect(play([a.regions({ 0: 1, 1: 1, 2: 1 })], SECOND, active, context).situations).toEqual(['']);
  });
  test('a region that only the device knows causes an event with its index', () => {
    expect(play([a.regions({ 5: 1 })]).events[0]).toMatchObject([
      { situation: 'region_entered', region: { id: '', index: 5, name: '' } },
    ]);
  });
  test.each([{ 16: 1 }, { '-1': 1 }, { x: 1 }, { 0: 2 }, { 0: true }, { 0: '1' }])(
    'the invalid map %j in a region report is ignored',
    (map) => {
      expect(play([a.presence(false, { presenceRegionMap: map })]).situations).toEqual(['']);
    },
  );
});

describe('bed exits', () => {
  test('a bed exit suspends further exit events for the configured time', () => {
    const inBed = a.regions({ 0: 1 });
    const out = a.regions({ 0: 0 });
    const { situations } = play([a.bedExit(), a.bedExit(), inBed, out, a.bedExit(), a.bedExit()], 225 * SECOND);
    // The fifth exit is 900 s after the first.
    expect(situations).toEqual(['bed_left', '', 'bed_entered', '', 'bed_left', '']);
    const none = { ...roomContext, bedExitSuspend: 0 };
    expect(play([a.bedExit(), a.bedExit()], SECOND, active, none).situations).toEqual(['bed_left', 'bed_left']);
  });
  test('occupied regions are still updated while exit events are suspended', () => {
    expect(play([a.bedExit(), a.regions({ 0: 1 }), a.regions({ 0: 0 })]).state.inside).toEqual([]);
  });
});

describe('maker A falls', () => {
  test('a third fall start within 5 min without an alarm forms a loop', () => {
    const starts = [1, 2, 3, 4, 5].map((start) => a.fall('fall_detected', start));
    expect(play(starts, 150 * SECOND).situations[2]).toBe('fall_suspected fall_loop');
    expect(play(starts, 151 * SECOND).situations.join(' ')).not.toContain('fall_loop');
    // Counting restarts after a reported loop.
    const { situations } = play(starts);
    expect(situations.map((each) => each.includes('fall_loop'))).toEqual([false, false, true, false, false]);
  });
  test.each([a.fall('calling', 2), a.sensitive('calling', 7)])(
    'falls with an alarm between them do not form a loop',
    (alarm) => {
      const [first, second, third] = [1, 2, 3].map((start) => a.fall('fall_detected', start));
      expect(play([first, second, alarm, third] as object[]).situations.join(' ')).not.toContain('fall_loop');
    },
  );
  test('firmware before v0.40 confirms falls at once', () => {
    const old = { ...roomContext, ...durationsOf(null, 39) };
    const { situations, state } = play([a.fall('fall_detected', 1), a.fall('fall_confirmed', 1)], SECOND, active, old);
    expect(situations).toEqual(['fall_suspected fall_confirmed', '']);
    expect(fallStateOf(state)).toBe('confirmed');
  });
  test('sensitive falls are separate from other falls with the same start time', () => {
    const sensitive = ['fall_suspected', 'calling', 'finished'].map((status) => a.sensitive(status, 1));
    expect(play([a.fall('fall_detected', 1), ...sensitive, a.fall('calling', 1)]).situations).toEqual([
      'fall_suspected',
      'fall_suspected_sensitive',
      'fall_detected_sensitive',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('falls have the states listed in decision D1', () => {
    const states = ['fall_detected', 'fall_confirmed', 'calling', 'finished'].map((status) => a.fall(status, 1));
    const after = (count: number) => fallStateOf(play(states.slice(0, count)).state);
    expect([0, 1, 2, 3, 4].map(after)).toEqual([null, 'detected', 'confirmed', 'calling', 'finished']);
    expect(fallStateOf(play([a.fall('calling', 1), a.fall('fall_exit', 1)]).state)).toBeNull();
  });
});

describe('passing time', () => {
  const limits = (now: number, firmware = 42, critical = {}) => ({
    now,
    silentAt: Number.POSITIVE_INFINITY,
    timings: durationsOf(critical, firmware).timings,
  });
  const moved = (state: SensorState, seconds: number, firmware?: number, critical?: object) =>
    passTime(state, limits(seconds * SECOND, firmware, critical)).events.map(({ happening, createDate }) => [
      happening.situation,
      createDate / SECOND,
    ]);
  const begun = play([a.fall('fall_detected', 1)]).state;

  test('a fall advances through its phases at the configured times', () => {
    const expected = [
      ['fall_confirmed', 52],
      ['fall_detected', 92],
      ['fall_finished', 122],
    ];
    expect([54, 55, 94, 95, 124, 125].map((at) => moved(begun, at))).toEqual(
      [0, 1, 1, 2, 2, 3].map((count) => expected.slice(0, count)),
    );
    const times = {
      durationUntilConfirmSec: 5,
      energyDurationUntilConfirm: 7,
      confirmedToAlertTimeoutSec: 4,
      callingDurationSec: 3,
      callingToFinishTime: 2,
    };
    const at = (firmware: number) => moved(begun, 60, firmware, times).map(([, seconds]) => seconds);
    expect(at(42)).toEqual([7, 11, 14]);
    for (const firmware of [40, 41]) expect(at(firmware)).toEqual([5, 9, 12]);
    expect(moved(begun, 60, 42, { ...times, energyDurationUntilConfirm: 4 })[0]).toEqual(['fall_confirmed', 5]);
    expect(at(39)).toEqual([0, 4, 7]);
    expect(at(38)).toEqual([0, 4, 7]);
    expect(at(37)).toEqual([0, 4, 6]);
  });
  test('a time-based fall event occurs only once', () => {
    const first = passTime(begun, limits(60 * SECOND));
    expect(passTime(first.state, limits(60 * SECOND)).events).toEqual([]);
  });
  test('a sensitive fall ends one minute after its last possible phase', () => {
    for (const message of [a.fall('calling', 1), a.sensitive('calling', 1), a.sensitive('fall_suspected', 1)]) {
      const { state } = play([message]);
      expect(moved(state, 181)).toEqual([]);
      expect(moved(state, 182)).toEqual([['fall_finished', 182]]);
    }
  });
  test.each([
    ['fall_detected', []],
    ['fall_detected', ['canceled']],
    ['fall_detected', ['calling', 'finished']],
    ['calling', []],
  ])('many later falls do not delay the alarm for a suspected fall: %s %j', (first, more) => {
    const later = Array.from({ length: 20 }, (_, at) => at + 2).flatMap((start) =>
      [first, ...more].map((status) => a.fall(status, start)),
    );
    const { state } = play(later, 0, begun);
    const alarms = moved(state, 95).filter(([situation]) => situation === 'fall_detected');
    expect(alarms).toHaveLength(first === 'fall_detected' && more.length === 0 ? 21 : 1);
  });
  test('the oldest suspected fall becomes an alarm immediately if too many falls are pending', () => {
    const starts = Array.from({ length: 31 }, (_, at) => a.fall('fall_detected', at + 1));
    const { state, events } = play(starts, 0);
    const alarms = events.map((each) => each.filter(({ situation }) => situation === 'fall_detected').length);
    expect(alarms).toEqual([...Array(30).fill(0), 1]);
    expect(moved(state, 95).filter(([situation]) => situation === 'fall_detected')).toHaveLength(30);
    const flood = Array.from({ length: 500 }, (_, at) => a.fall('fall_detected', at + 1));
    expect(play(flood, 0).state.falls.length).toBeLessThanOrEqual(36);
  });
  test('a late calling report still raises the alarm for a timed-out fall', () => {
    const { state } = passTime(play([a.sensitive('fall_suspected', 1)]).state, limits(1_000 * SECOND));
    expect(play([a.sensitive('calling', 1)], SECOND, state).situations).toEqual(['fall_detected_sensitive']);
  });
  test('nextMove returns the next alarm, or the next change of any kind', () => {
    const { timings } = noRoomContext;
    expect(nextMove(begun, timings, 'alarm')).toBe(55 * SECOND);
    const calling = play([a.fall('fall_detected', 1), a.fall('calling', 1)]).state;
    expect(nextMove(calling, timings, 'alarm')).toBe(Number.POSITIVE_INFINITY);
    expect(nextMove(calling, timings, 'any')).toBe(34 * SECOND);
  });
  test('an offline sensor becomes inactive only once', () => {
    const offline = { ...limits(10), silentAt: 10 };
    const { state, events } = passTime(active, offline);
    expect(events.map(({ happening }) => happening.situation)).toEqual(['sensor_inactive']);
    expect(passTime(state, offline).events).toEqual([]);
    expect(passTime(active, { ...offline, silentAt: 11 }).events).toEqual([]);
  });
});

describe('needsOf', () => {
  const needs = (message: object, state = active) => needsOf(state, decodeMakerA(message).signal);
  test('needsOf does not request the configuration for a calling report', () => {
    const nothing = { regions: false, places: false, critical: false };
    const bounds = { ...nothing, places: true };
    const inBed = play([a.regions({ 0: 1 })]).state;
    const open = play([a.fall('calling', 5)]).state;
    for (const [message, state, expected] of [
      [a.fall('calling', 1), active, bounds],
      [a.fall('calling', 1), open, bounds],
      [a.fall('finished', 5), open, bounds],
      [a.presence(true), active, nothing],
      [a.regions({ 0: 1, 1: 0 }), inBed, nothing],
      [a.sensitive('fall_suspected', 1), active, bounds],
      [a.state(), active, nothing],
    ] as const)
      expect(needs(message, state)).toEqual(expected);
  });
  test('needsOf requests the configuration only if a bed exit may be suspended', () => {
    expect(needs(a.regions({ 0: 1 }))).toEqual({ regions: true, places: false, critical: false });
    expect(needs(a.regions({ 0: 0 }), { ...active, inside: [0], bedExit: 1 })).toEqual({
      regions: true,
      places: false,
      critical: true,
    });
    expect(needs(a.bedExit(), { ...active, bedExit: 1 })).toEqual({ regions: true, places: false, critical: true });
  });
  test('needsOf requests the configuration for a fall that advances over time', () => {
    expect(needs(a.fall('fall_detected', 1))).toEqual({ regions: false, places: true, critical: true });
    expect(needs(a.fall('calling', 1), play([a.fall('fall_detected', 1)]).state).critical).toBe(true);
  });
});

describe('on_call', () => {
  test('on_call raises the alarm if the calling report was lost', () => {
    expect(play([a.fall('fall_detected', 5), a.fall('on_call', 5)]).situations.at(-1)).toBe('fall_detected');
    expect(play([a.fall('on_call', 5), a.fall('on_call', 5)]).situations).toEqual(['fall_detected', '']);
    expect(play([a.fall('calling', 5), a.fall('on_call', 5), a.fall('finished', 5)]).situations.slice(1)).toEqual([
      '',
      'fall_finished',
    ]);
    expect(play([a.sensitive('calling', 5), a.sensitive('on_call', 5)]).situations[1]).toBe('');
  });
  test('on_call does not raise a second alarm, even for an undated fall', () => {
    const undated = (status: string) => ({ type: 5, payload: { status } });
    expect(play([undated('calling'), undated('on_call')], 600 * SECOND).situations).toEqual(['fall_detected', '']);
    expect(play([undated('on_call')]).situations).toEqual(['fall_detected']);
  });
});
