import { describe, expect, test } from 'vitest';
import { DAY } from '#shared/domain/event/event.ts';
import type { Signal } from '#shared/domain/event/message.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isMostlyUnknown, understandingAfter } from '#shared/domain/state/understanding.ts';

type Counted = Pick<SensorState, 'understanding' | 'version' | 'falls'>;
const fresh: Counted = { version: newSensorState.version, falls: [] };
const signals: Record<string, Signal> = {
  u: { kind: 'presence', present: true, regions: {}, point: null },
  x: { kind: 'unknown' },
  F: { kind: 'postures', postures: [] },
  f: {
    kind: 'fall',
    status: 'calling',
    start: null,
    isSensitive: false,
    point: null,
    isSimulated: false,
    isSilent: false,
  },
  X: { kind: 'unknown', isAboutFalls: true },
};
/** Returns the state after one message per minute: `u` is understood, `x` is not. `F`, `f` and `X` are about falls. */
const stateAfter = (messages: string, state: Counted = fresh, from = 0): Counted => {
  const { version, falls } = state;
  return [...messages].reduce<Counted>((before, message, at) => {
    const signal = signals[message] ?? expect.unreachable();
    return { version, falls, ...understandingAfter(before, signal, from + at * 60_000) };
  }, state);
};

describe('understanding of a sensor', () => {
  test('a sensor counts as not understood if most of its messages are unknown', () => {
    expect(isMostlyUnknown(stateAfter('x'))).toBe(true);
    expect(isMostlyUnknown(stateAfter('xu'))).toBe(false);
    expect(isMostlyUnknown(stateAfter('xuxxu'))).toBe(true);
    expect(isMostlyUnknown(stateAfter('xuxxuu'))).toBe(false);
  });

  test('a sensor counts as not understood only after several unknown messages', () => {
    const written = { ...fresh, version: 3 };
    expect(isMostlyUnknown(stateAfter('xxx', written))).toBe(false);
    expect(isMostlyUnknown(stateAfter('xxxx', written))).toBe(true);
    const long = { ...fresh, version: 1_000 };
    expect(isMostlyUnknown(stateAfter('x'.repeat(10), long))).toBe(false);
    expect(isMostlyUnknown(stateAfter('x'.repeat(11), long))).toBe(true);
  });

  test('a sensor counts as understood again after enough understood messages', () => {
    const bad = stateAfter('x'.repeat(20));
    expect(isMostlyUnknown(bad)).toBe(true);
    expect(isMostlyUnknown(stateAfter('u'.repeat(20), bad, 3_600_000))).toBe(false);
    expect(stateAfter('u', bad, 6 * DAY).understanding).toBeUndefined();
  });
});

describe('understanding of a frequently reporting sensor', () => {
  const busy = 'u'.repeat(60);
  const written = { ...fresh, version: 1_000 };

  test('a busy sensor counts as not understood if most fall messages are unknown', () => {
    expect(isMostlyUnknown(stateAfter(`${busy}X${busy}`, written))).toBe(true);
    expect(isMostlyUnknown(stateAfter(`X${busy}F${busy}`, written))).toBe(false);
    expect(isMostlyUnknown(stateAfter(`X${busy}f${busy}`, written))).toBe(false);
    expect(isMostlyUnknown(stateAfter(`X${busy}FXF`, written))).toBe(false);
    expect(isMostlyUnknown(stateAfter(`${busy}x${busy}`, written))).toBe(false);
  });

  test('a busy sensor counts as not understood only after several unknown fall messages', () => {
    const fallen: Counted = { ...written, falls: [{ start: 1, phases: ['detected', 'calling'] }] };
    expect(isMostlyUnknown(stateAfter('XX', fallen))).toBe(false);
    expect(isMostlyUnknown(stateAfter('XXX', fallen))).toBe(true);
  });

  test('a busy sensor counts as understood again a day after the last unknown fall message', () => {
    const bad = stateAfter('X', written);
    expect(isMostlyUnknown(stateAfter('u', bad, DAY - 1))).toBe(true);
    expect(isMostlyUnknown(stateAfter('u', bad, DAY))).toBe(false);
  });
});

test('a sensor with only understood messages does not store counts', () => {
  expect(stateAfter('uuuu')).toEqual(fresh);
});

test('understood messages are counted only up to a limit', () => {
  const mixed = stateAfter(`x${'u'.repeat(50)}`);
  expect(mixed.understanding).toMatchObject({ unknown: 1, understood: 11 });
  expect(stateAfter('u', mixed).understanding).toEqual(mixed.understanding);
});
