import { describe, expect, test } from 'vitest';
import type { PresenceSignal, Signal } from '#shared/domain/event/message.ts';
import type { Region } from '#shared/domain/sensor/room.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { remembered } from '#shared/domain/state/memory.ts';
import { renumbered } from '#shared/domain/state/regions.ts';
import { messageTime, noRoomContext } from '#shared/domain/state/room-context.ts';
import { needsOf, step } from '#shared/domain/state/step.ts';

const start = 1_800_000_000_000;
const active: SensorState = { ...newSensorState, isActive: true, lastSeen: start };
const point = { x: 1, y: 2, z: 3 };
const region = (positionIdx: number, kind: Region['kind']) =>
  ({ id: `r${positionIdx}`, positionIdx, name: `R${positionIdx}`, kind, presenceDetectionEnabled: true }) as Region;
const presence = (present: boolean | null, regions: PresenceSignal['regions'] = {}): Signal => ({
  kind: 'presence',
  present,
  regions,
  point,
});
const apply = (state: SensorState, signal: Signal, regions: Region[], time = start) =>
  step(state, signal, messageTime(time, time), { ...noRoomContext, regions });

describe('presence and region reports', () => {
  test.each([
    ['bed', 'bed_entered', 'bed_left'],
    ['monitored_bed', 'bed_entered', 'bed_left'],
    ['door', 'door_entered', 'door_left'],
    ['default', 'region_entered', 'region_left'],
  ] as const)('entering or leaving a %s region causes an event that names the region', (kind, entered, left) => {
    const regions = [region(0, kind)];
    const named = { id: 'r0', index: 0, name: 'R0' };
    const first = apply(active, presence(true, { 0: true }), regions);
    expect(first.events).toMatchObject([
      { situation: 'occupied_room', point },
      { situation: entered, region: named, point },
    ]);
    expect(apply(first.state, presence(null, { 0: false }), regions).events).toMatchObject([
      { situation: left, region: named, point },
    ]);
  });
  test('people leaving other regions are still reported while bed exits are suspended', () => {
    const regions = [region(0, 'bed'), region(1, 'door')];
    const state = { ...active, inside: [0, 1], bedExit: start - 1 };
    expect(
      apply(state, presence(true, { 0: false, 1: false }), regions).events.map(({ situation }) => situation),
    ).toEqual(['occupied_room', 'door_left']);
  });
  test('a bed exit is recorded even if other regions change in the same report', () => {
    const regions = [region(0, 'bed'), region(1, 'door')];
    const { state, events } = apply({ ...active, inside: [0] }, presence(true, { 0: false, 1: true }), regions);
    expect(events.map(({ situation }) => situation)).toEqual(['occupied_room', 'bed_left', 'door_entered']);
    expect(state.bedExit).toBe(start);
  });
  test('the state records when presence and regions were last reported', () => {
    expect(apply(active, presence(true), []).state).toMatchObject({ presenceAt: start });
    expect(apply(active, presence(true), []).state).not.toHaveProperty('regionsAt');
    const { state } = apply(active, presence(null, { 0: true }), []);
    expect(state).toMatchObject({ regionsAt: start, inside: [0] });
    expect(state).not.toHaveProperty('presenceAt');
    expect(apply(active, presence(true), []).state).not.toHaveProperty('inside');
  });
  test('a bed exit names the bed if the room has one', () => {
    const exit: Signal = { kind: 'bed_exit', point };
    const regions = [region(1, 'door'), region(2, 'bed')];
    expect(apply(active, exit, regions).events).toMatchObject([
      { situation: 'bed_left', region: { id: 'r2', index: 2, name: 'R2' }, point },
    ]);
    expect(apply(active, exit, [region(1, 'door')]).events).toMatchObject([{ situation: 'bed_left', region: null }]);
  });
});

describe('room changes', () => {
  const before = [
    { id: 'bed', positionIdx: 0 },
    { id: 'door', positionIdx: 1 },
    { id: 'table', positionIdx: 2 },
  ];
  const after = [
    { id: 'door', positionIdx: 0 },
    { id: 'table', positionIdx: 3 },
  ];
  test('a room change keeps people in their region, even if its number changes', () => {
    expect(renumbered({ inside: [2, 0, 1, 9] }, before, after)).toEqual({ inside: [3, 0, 9] });
    const track = { id: 7, inside: [1, 0], areas: { 0: 'in', 2: 'out', 9: 'in' } as const };
    expect(renumbered({ tracks: [track] }, before, after)).toEqual({
      tracks: [{ id: 7, inside: [0], areas: { 3: 'out', 9: 'in' } }],
    });
  });
  test('a room change does not affect regions that were never reported', () => {
    expect(renumbered({}, before, after)).toEqual({});
    expect(renumbered({ tracks: [{ id: 7 } as { inside?: number[] }] }, before, after)).toEqual({
      tracks: [{ id: 7 }],
    });
  });
});

describe('needsOf', () => {
  const none = { regions: false, places: false, critical: false };
  const moved = (...areas: (number | null)[]): Signal => ({
    kind: 'moves',
    moves: areas.map((index) => ({ track: 1, entered: true, area: index === null ? null : { index, kind: null } })),
  });
  test('needsOf requests regions if any of several moves names an area', () => {
    expect(needsOf(active, moved(null, 1))).toEqual({ ...none, regions: true });
    expect(needsOf(active, moved(null))).toEqual(none);
  });
  test('needsOf requests region bounds for a posture report', () => {
    expect(needsOf(active, { kind: 'postures', postures: [] })).toEqual({ ...none, places: true });
  });
  test('needsOf requests the configuration only for a bed exit after an earlier one', () => {
    const state = { ...active, inside: [0], bedExit: start };
    expect(needsOf(state, presence(null, { 0: false, 1: true })).critical).toBe(true);
    expect(needsOf(state, presence(null, { 1: true })).critical).toBe(false);
    expect(needsOf({ ...active, inside: [0] }, presence(null, { 0: false })).critical).toBe(false);
    expect(needsOf(active, { kind: 'bed_exit', point: null })).toEqual({ ...none, regions: true });
    expect(needsOf(state, { kind: 'bed_exit', point: null })).toEqual({ ...none, regions: true, critical: true });
  });
  test('needsOf requests the configuration for a fall that advances over time', () => {
    const fall = (status: 'fall_confirmed' | 'calling', startDate: number | null): Signal => ({
      kind: 'fall',
      status,
      start: startDate,
      isSensitive: false,
      point: null,
      isSimulated: false,
      isSilent: false,
    });
    expect(needsOf(active, fall('fall_confirmed', 1)).critical).toBe(true);
    const state: SensorState = {
      ...active,
      falls: [
        { start: 1, phases: ['detected'] },
        { start: 2, phases: ['calling'] },
      ],
    };
    expect([1, 2, 3, null].map((startDate) => needsOf(state, fall('calling', startDate)).critical)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});

test('a full memory keeps the newest and the most valuable items', () => {
  const worth = (item: string) => Number(item[0]);
  expect(remembered(['1a', '0b', '1c', '0d'], 3, worth)).toEqual(['1a', '1c', '0d']);
  expect(remembered(['1a', '1b', '1c', '0d'], 3, worth)).toEqual(['1b', '1c', '0d']);
  expect(remembered(['0a', '1b'], 2, worth)).toEqual(['0a', '1b']);
  expect(remembered(['1a', '0b'], 1, worth)).toEqual(['0b']);
});
