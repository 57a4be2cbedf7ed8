import { describe, expect, test } from 'vitest';
import type { EventDetails, Situation } from '#shared/domain/event/event.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isSituationOver } from '#shared/domain/situation-over.ts';

const RECEIVED = 1_800_000_000_000;
const START = RECEIVED - 5_000;
type Happening = Pick<EventDetails, 'situation' | 'region' | 'subject'>;

/** Whether a situation is over, given the fields of the sensor state that differ from a new one. */
const isOver = (situation: Situation | null, state: object, happening: object = {}) =>
  isSituationOver({ ...newSensorState, ...state } as SensorState, {
    happening: { situation, region: null, ...happening } as Happening,
    receiveDate: RECEIVED,
  });
const fall = (...phases: string[]) => ({ start: START, phases });

describe('a situation of the sensor or the room', () => {
  test('an offline sensor is over once the sensor is active or has sent a message', () => {
    expect(isOver('sensor_inactive', { isActive: false, lastSeen: RECEIVED })).toBe(false);
    expect(isOver('sensor_inactive', { isActive: false, lastSeen: RECEIVED + 1 })).toBe(true);
    expect(isOver('sensor_inactive', { isActive: true, lastSeen: 0 })).toBe(true);
  });

  test('an empty room is over once someone is present, and an occupied room once no one is', () => {
    const over = (situation: Situation) => [true, false, null].map((presence) => isOver(situation, { presence }));
    expect(over('empty_room')).toEqual([true, false, false]);
    expect(over('occupied_room')).toEqual([false, true, false]);
  });

  test('other situations never end', () => {
    const state = { isActive: true, presence: true, lastSeen: RECEIVED + 1 };
    for (const situation of ['apnea', 'sensor_clock_wrong', null] as const)
      expect([situation, isOver(situation, state, { subject: { fall: START } })]).toEqual([situation, false]);
    expect(isOver('fall_detected', state)).toBe(false);
  });
});

describe('a fall', () => {
  const ofFall = (situation: Situation, falls: readonly object[], subject: object = {}) =>
    isOver(situation, { falls }, { subject: { fall: START, ...subject } });

  test('a fall is over once it is finished or canceled, whatever its situation', () => {
    for (const situation of ['fall_suspected', 'fall_confirmed', 'fall_detected'] as const) {
      expect(ofFall(situation, [fall('detected', 'calling')])).toBe(false);
      expect(ofFall(situation, [fall('detected', 'finished')])).toBe(true);
      expect(ofFall(situation, [fall('canceled')])).toBe(true);
    }
  });

  test('a fall ended only by time, or not reported by the device, is not over', () => {
    expect(ofFall('fall_detected', [{ ...fall('finished'), endedByTime: RECEIVED }])).toBe(false);
    expect(ofFall('fall_detected', [{ ...fall('finished'), isUnreported: true }])).toBe(false);
  });

  test('a fall missing from the state is not over, for example after the sensor restarted', () => {
    expect(ofFall('fall_detected', [])).toBe(false);
    expect(ofFall('fall_detected', [{ ...fall('finished'), start: START + 1 }])).toBe(false);
  });

  test('a sensitive fall is a different fall, even if both began at the same time', () => {
    const both = [fall('calling'), { ...fall('finished'), isSensitive: true }];
    const subject = { isSensitive: true };
    for (const situation of ['fall_suspected_sensitive', 'fall_detected_sensitive'] as const)
      expect([ofFall(situation, both, subject), ofFall('fall_detected', both)]).toEqual([true, false]);
  });

  test('the fall of a tracked person is over once the track has no open fall from then', () => {
    const ofTrack = (tracks: readonly object[] | undefined, subject: object = {}) =>
      isOver('fall_detected', { ...(tracks && { tracks }) }, { subject: { track: 3, fall: START, ...subject } });
    const down = { id: 3, fallPostures: ['fallen'], since: START };
    expect(ofTrack([{ id: 2 }, down])).toBe(false);
    expect(ofTrack([{ ...down, isClosed: true }])).toBe(true);
    expect(ofTrack([{ id: 3 }])).toBe(true);
    // The person has fallen again since.
    expect(ofTrack([{ ...down, since: START + 1 }])).toBe(true);
    expect(ofTrack([{ id: 3, fallPostures: ['fallen'] }])).toBe(false);
    // The same fall has raised another alarm, which is the later one of the two.
    expect(ofTrack([down], { fall: START + 1 })).toBe(false);
    expect([ofTrack([{ id: 2 }]), ofTrack(undefined)]).toEqual([false, false]);
    expect(ofTrack([down], { fall: undefined })).toBe(true);
  });
});

describe('a region', () => {
  const entered = ['region_entered', 'bed_entered', 'door_entered'] as const;
  const left = ['region_left', 'bed_left', 'door_left'] as const;
  const region = { index: 2, name: 'Bed' };

  test('an entry is over once the region is empty, and an exit once someone is back', () => {
    for (const [situations, whileInside] of [
      [entered, false],
      [left, true],
    ] as const)
      for (const situation of situations) {
        const over = (state: object) => isOver(situation, state, { region, subject: {} });
        expect([situation, over({ inside: [1, 2] })]).toEqual([situation, whileInside]);
        expect([situation, over({ inside: [1] })]).toEqual([situation, !whileInside]);
        expect([situation, over({})]).toEqual([situation, !whileInside]);
      }
  });

  test('only the person in the event counts if the sensor tracks people', () => {
    const tracks = [{ id: 3, inside: [1] }, { id: 4, inside: [2] }, { id: 5 }];
    const over = (track: number) => isOver('bed_left', { tracks, inside: [2] }, { region, subject: { track } });
    expect([3, 4, 5, 6].map(over)).toEqual([false, true, false, false]);
  });

  test('a situation without a region never ends', () => {
    for (const situation of [...entered, ...left])
      expect(isOver(situation, { inside: [] }, { subject: {} })).toBe(false);
  });
});
