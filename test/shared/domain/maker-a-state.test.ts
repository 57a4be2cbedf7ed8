import { describe, expect, test } from 'vitest';
import { decodeMakerA } from '#shared/domain/makers/maker-a/decode.ts';
import { RoomUpdate } from '#shared/domain/sensor/room.ts';
import { placeRegions } from '#shared/domain/sensor/room-rules.ts';
import { fallStateOf, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { noRoomContext, type RoomContext, timesOf, whenOf } from '#shared/domain/state/room-context.ts';
import { needsOf, step } from '#shared/domain/state/step.ts';
import { nextMove, passTime } from '#shared/domain/state/time.ts';
import { a, room } from '#test/fixtures/messages.ts';

const SECOND = 1_000;
const active: SensorState = { ...newSensorState, isActive: true };
const regions = placeRegions(RoomUpdate.parse(room).regions, [], () => crypto.randomUUID());
const around: RoomContext = { ...noRoomContext, regions };

/** What comes of messages that are received `everyMs` apart. */
const play = (messages: readonly object[], everyMs = SECOND, from = active, given = around) => {
  let state = from;
  const events = messages.map((message, at) => {
    const time = at * everyMs;
    const next = step(state, decodeMakerA(message).signal, whenOf(time, null), given);
    state = next.state;
    return next.events;
  });
  return { state, events, said: events.map((all) => all.map(({ situation }) => situation).join(' ')) };
};

describe('the regions of maker A', () => {
  test('make an event of their kind once for each change, together with the presence of the same message', () => {
    const messages = [
      a.presence(true, { presenceRegionMap: { 0: 1, 1: 0, 2: 1 } }),
      a.presence(true, { presenceRegionMap: { 0: 1, 1: 0, 2: 1 } }),
      a.regions({ 0: 0, 1: 1 }),
      a.regions({ 1: 0, 2: 0 }),
    ];
    const { said, events } = play(messages);
    expect(said).toEqual([
      'occupied_room bed_entered region_entered',
      '',
      'bed_left door_entered',
      'door_left region_left',
    ]);
    expect(events[0]?.map(({ region }) => region?.name)).toEqual([undefined, 'Bed', 'Table']);
  });
  test('make no event when they are empty at the first report', () => {
    expect(play([a.presence(false, { presenceRegionMap: { 0: 0, 1: 0 } })]).said).toEqual(['']);
  });
  test('make no event without presence detection', () => {
    const silent = { ...around, regions: regions.map((region) => ({ ...region, presenceDetectionEnabled: false })) };
    expect(play([a.regions({ 0: 1, 1: 1, 2: 1 })], SECOND, active, silent).said).toEqual(['']);
  });
  test('that only the device knows make an event with their index', () => {
    expect(play([a.regions({ 5: 1 })]).events[0]).toMatchObject([
      { situation: 'region_entered', region: { id: '', index: 5, name: '' } },
    ]);
  });
  test.each([{ 16: 1 }, { '-1': 1 }, { x: 1 }, { 0: 2 }, { 0: true }, { 0: '1' }])('that are %j are ignored', (map) => {
    expect(play([a.presence(false, { presenceRegionMap: map })]).said).toEqual(['']);
  });
});

describe('a bed exit', () => {
  test('suspends further ones for the configured time, whether reported directly or by the region', () => {
    const inBed = a.regions({ 0: 1 });
    const out = a.regions({ 0: 0 });
    const { said } = play([a.bedExit(), a.bedExit(), inBed, out, a.bedExit(), a.bedExit()], 225 * SECOND);
    // The fifth is 900 s after the first.
    expect(said).toEqual(['bed_left', '', 'bed_entered', '', 'bed_left', '']);
    const none = { ...around, bedExitSuspend: 0 };
    expect(play([a.bedExit(), a.bedExit()], SECOND, active, none).said).toEqual(['bed_left', 'bed_left']);
  });
  test('that is suspended still changes which regions are occupied', () => {
    expect(play([a.bedExit(), a.regions({ 0: 1 }), a.regions({ 0: 0 })]).state.inside).toEqual([]);
  });
});

describe('falls of maker A', () => {
  test('that start three times within 5 min without a call are a loop, reported with the third start', () => {
    const starts = [1, 2, 3, 4, 5].map((start) => a.fall('fall_detected', start));
    expect(play(starts, 150 * SECOND).said[2]).toBe('fall_suspected fall_loop');
    expect(play(starts, 151 * SECOND).said.join(' ')).not.toContain('fall_loop');
    // It begins anew once it was reported.
    expect(play(starts).said.map((all) => all.includes('fall_loop'))).toEqual([false, false, true, false, false]);
  });
  test.each([a.fall('calling', 2), a.sensitive('calling', 7)])('are no loop with a call between them', (call) => {
    const [first, second, third] = [1, 2, 3].map((start) => a.fall('fall_detected', start));
    expect(play([first, second, call, third] as object[]).said.join(' ')).not.toContain('fall_loop');
  });
  test('before v0.40 are confirmed at once', () => {
    const old = { ...around, ...timesOf(null, 39) };
    const { said, state } = play([a.fall('fall_detected', 1), a.fall('fall_confirmed', 1)], SECOND, active, old);
    expect(said).toEqual(['fall_suspected fall_confirmed', '']);
    expect(fallStateOf(state)).toBe('confirmed');
  });
  test('of the sensitivity mode differ from those with the same start', () => {
    const words = ['fall_suspected', 'calling', 'finished'].map((status) => a.sensitive(status, 1));
    expect(play([a.fall('fall_detected', 1), ...words, a.fall('calling', 1)]).said).toEqual([
      'fall_suspected',
      'fall_suspected_sensitive',
      'fall_detected_sensitive',
      'fall_finished',
      'fall_detected',
    ]);
  });
  test('have the state that D1 names', () => {
    const states = ['fall_detected', 'fall_confirmed', 'calling', 'finished'].map((status) => a.fall(status, 1));
    const after = (count: number) => fallStateOf(play(states.slice(0, count)).state);
    expect([0, 1, 2, 3, 4].map(after)).toEqual([null, 'detected', 'confirmed', 'calling', 'finished']);
    expect(fallStateOf(play([a.fall('calling', 1), a.fall('fall_exit', 1)]).state)).toBeNull();
  });
});

describe('time', () => {
  const limits = (now: number, firmware = 42, critical = {}) => ({
    now,
    silentAt: Number.POSITIVE_INFINITY,
    timings: timesOf(critical, firmware).timings,
  });
  const moved = (state: SensorState, seconds: number, firmware?: number, critical?: object) =>
    passTime(state, limits(seconds * SECOND, firmware, critical)).events.map(({ happening, createDate }) => [
      happening.situation,
      createDate / SECOND,
    ]);
  const begun = play([a.fall('fall_detected', 1)]).state;

  test('moves a fall from phase to phase, each at its time, by configuration and firmware', () => {
    const all = [
      ['fall_confirmed', 52],
      ['fall_detected', 92],
      ['fall_finished', 122],
    ];
    expect([54, 55, 94, 95, 124, 125].map((at) => moved(begun, at))).toEqual(
      [0, 1, 1, 2, 2, 3].map((n) => all.slice(0, n)),
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
  test('makes each event of a fall once, however often it is checked', () => {
    const first = passTime(begun, limits(60 * SECOND));
    expect(passTime(first.state, limits(60 * SECOND)).events).toEqual([]);
  });
  test('ends a fall that was only called, or that was sensitive, a minute after all its durations', () => {
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
  ])('brings a fall to its alarm however many others came after it: %s %j', (first, more) => {
    const later = Array.from({ length: 20 }, (_, at) => at + 2).flatMap((start) =>
      [first, ...more].map((status) => a.fall(status, start)),
    );
    const { state } = play(later, 0, begun);
    const alarms = moved(state, 95).filter(([situation]) => situation === 'fall_detected');
    expect(alarms).toHaveLength(first === 'fall_detected' && more.length === 0 ? 21 : 1);
  });
  test('is not awaited by the oldest fall when too many alarms are pending: it alarms once, at once', () => {
    const starts = Array.from({ length: 31 }, (_, at) => a.fall('fall_detected', at + 1));
    const { state, events } = play(starts, 0);
    const alarms = events.map((all) => all.filter(({ situation }) => situation === 'fall_detected').length);
    expect(alarms).toEqual([...Array(30).fill(0), 1]);
    expect(moved(state, 95).filter(([situation]) => situation === 'fall_detected')).toHaveLength(30);
    const flood = Array.from({ length: 500 }, (_, at) => a.fall('fall_detected', at + 1));
    expect(play(flood, 0).state.falls.length).toBeLessThanOrEqual(36);
  });
  test('that ended a fall does not suppress a late call', () => {
    const { state } = passTime(play([a.sensitive('fall_suspected', 1)]).state, limits(1_000 * SECOND));
    expect(play([a.sensitive('calling', 1)], SECOND, state).said).toEqual(['fall_detected_sensitive']);
  });
  test('is checked for a pending alarm, and not for the end of one', () => {
    const { timings } = noRoomContext;
    expect(nextMove(begun, timings, 'alarm')).toBe(55 * SECOND);
    const calling = play([a.fall('fall_detected', 1), a.fall('calling', 1)]).state;
    expect(nextMove(calling, timings, 'alarm')).toBe(Number.POSITIVE_INFINITY);
    expect(nextMove(calling, timings, 'any')).toBe(34 * SECOND);
  });
  test('makes an offline sensor inactive once', () => {
    const silent = { ...limits(10), silentAt: 10 };
    const { state, events } = passTime(active, silent);
    expect(events.map(({ happening }) => happening.situation)).toEqual(['sensor_inactive']);
    expect(passTime(state, silent).events).toEqual([]);
    expect(passTime(active, { ...silent, silentAt: 11 }).events).toEqual([]);
  });
});

describe('a message needs', () => {
  const needs = (message: object, state = active) => needsOf(state, decodeMakerA(message).signal);
  test('neither room nor configuration for a call, or when nothing changed', () => {
    const nothing = { regions: false, places: false, critical: false };
    const where = { ...nothing, places: true };
    const inBed = play([a.regions({ 0: 1 })]).state;
    const open = play([a.fall('calling', 5)]).state;
    for (const [message, state, wanted] of [
      [a.fall('calling', 1), active, where],
      [a.fall('calling', 1), open, where],
      [a.fall('finished', 5), open, where],
      [a.presence(true), active, nothing],
      [a.regions({ 0: 1, 1: 0 }), inBed, nothing],
      [a.sensitive('fall_suspected', 1), active, where],
      [a.state(), active, nothing],
    ] as const)
      expect(needs(message, state)).toEqual(wanted);
  });
  test('the room when somebody moved, and the configuration when an exit may be suspended', () => {
    expect(needs(a.regions({ 0: 1 }))).toEqual({ regions: true, places: false, critical: false });
    expect(needs(a.regions({ 0: 0 }), { ...active, inside: [0], bedExit: 1 })).toEqual({
      regions: true,
      places: false,
      critical: true,
    });
    expect(needs(a.bedExit(), { ...active, bedExit: 1 })).toEqual({ regions: true, places: false, critical: true });
  });
  test('the configuration for a fall that time moves', () => {
    expect(needs(a.fall('fall_detected', 1))).toEqual({ regions: false, places: true, critical: true });
    expect(needs(a.fall('calling', 1), play([a.fall('fall_detected', 1)]).state).critical).toBe(true);
  });
});
