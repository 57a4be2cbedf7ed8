import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newSensorState } from '#shared/domain/sensor/sensor-state.ts';
import { decodeState, encodeState, type StateItem, type StoredState } from '#shared/store/sensors/state-item.ts';

const base = { ...newSensorState, decision: null };

const state: StateItem = {
  ...base,
  falls: [
    { start: 1, phases: ['detected', 'confirmed', 'calling', 'finished'], at: 9 },
    { start: 2, phases: ['canceled'], phaseDates: { detected: 5, canceled: 7 }, isSensitive: true },
  ],
  tracks: [
    { id: 1, pose: 5, fallPostures: ['suspected', 'fallen', 'sitting_suspected', 'sitting'], since: 3 },
    { id: 2, at: 4, alarmedUpTo: 4, inside: [2], areas: { 2: 'in' } },
  ],
};

/** The same state in the version 0.3.0 format. */
const stored: StoredState = {
  ...base,
  falls: [
    { start: 1, seen: 'dcaf', at: 9 },
    { start: 2, seen: 'x', markedAt: { d: 5, x: 7 }, isSensitive: true },
  ],
  tracks: [
    { id: 1, pose: 5, seen: 'daeb', since: 3 },
    { id: 2, at: 4, told: 4, inside: [2], areas: { 2: 'in' } },
  ],
};

describe('state encoding', () => {
  test('encodeState uses a format readable by earlier versions', () => {
    expect(encodeState(state)).toEqual(stored);
  });

  test('decodeState reads the format stored by earlier versions', () => {
    expect(decodeState(stored)).toEqual(state);
  });

  test('decodeState reads an empty list of postures as a track without an open fall', () => {
    const [track] = decodeState({ ...base, falls: [], tracks: [{ id: 1, seen: '' }] }).tracks ?? [];
    expect(track).toEqual({ id: 1 });
  });

  test('decodeState keeps attributes and skips characters known only to a newer version', () => {
    const newer = { ...stored, falls: [{ start: 1, seen: 'dza', tomorrow: 1 }], tomorrow: 2 };
    const falls = [{ start: 1, phases: ['detected', 'calling'], tomorrow: 1 }];
    expect(decodeState(newer)).toEqual({ ...state, falls, tomorrow: 2 });
  });

  test('a state is the same after encoding and decoding', () => {
    const phase = fc.constantFrom('detected', 'confirmed', 'calling', 'finished', 'canceled');
    const posture = fc.constantFrom('suspected', 'fallen', 'sitting_suspected', 'sitting');
    const fall = fc.record(
      { start: fc.nat(), phases: fc.array(phase), phaseDates: fc.dictionary(phase, fc.nat()) },
      { requiredKeys: ['start', 'phases'] },
    );
    const track = fc.record(
      { id: fc.nat(), fallPostures: fc.array(posture, { minLength: 1 }), alarmedUpTo: fc.nat() },
      { requiredKeys: ['id'] },
    );
    const states = fc.record({ falls: fc.array(fall), tracks: fc.array(track) }, { requiredKeys: ['falls'] });
    fc.assert(
      fc.property(states, (some) => {
        const item = { ...base, ...some } as StateItem;
        expect(decodeState(encodeState(item))).toEqual(item);
      }),
    );
  });
});
