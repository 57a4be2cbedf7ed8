import { describe, expect, test } from 'vitest';
import { DAY } from '#shared/domain/event/event.ts';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isMostlyUnknown, understandingAfter } from '#shared/domain/state/understanding.ts';

type Counted = Pick<SensorState, 'understanding' | 'version'>;
const fresh: Counted = { version: newSensorState.version };
/** Returns the state after messages, one each minute: `u` is understood, `x` is not. */
const stateAfter = (messages: string, { version, ...state }: Counted = fresh, from = 0): Counted =>
  [...messages].reduce<Counted>(
    (before, message, at) => ({ version, ...understandingAfter(before, message === 'u', from + at * 60_000) }),
    { version, ...state },
  );

describe('a sensor', () => {
  test('counts as not understood as soon as most of its messages are unknown', () => {
    expect(isMostlyUnknown(stateAfter('x'))).toBe(true);
    expect(isMostlyUnknown(stateAfter('xu'))).toBe(false);
    expect(isMostlyUnknown(stateAfter('xuxxu'))).toBe(true);
    expect(isMostlyUnknown(stateAfter('xuxxuu'))).toBe(false);
  });

  test('counts as not understood only once unknown messages outnumber its earlier, understood ones', () => {
    const written = { version: 3 };
    expect(isMostlyUnknown(stateAfter('xxx', written))).toBe(false);
    expect(isMostlyUnknown(stateAfter('xxxx', written))).toBe(true);
    const long = { version: 1_000 };
    expect(isMostlyUnknown(stateAfter('x'.repeat(10), long))).toBe(false);
    expect(isMostlyUnknown(stateAfter('x'.repeat(11), long))).toBe(true);
  });

  test('counts as understood again once its messages have been understood for long enough', () => {
    const bad = stateAfter('x'.repeat(20));
    expect(isMostlyUnknown(bad)).toBe(true);
    expect(isMostlyUnknown(stateAfter('u'.repeat(20), bad, 3_600_000))).toBe(false);
    expect(stateAfter('u', bad, 6 * DAY).understanding).toBeUndefined();
  });
});

test('a sensor whose messages are all understood has nothing to count', () => {
  expect(stateAfter('uuuu')).toEqual({ version: 0 });
});

test('understood messages are counted only while others may outnumber them', () => {
  const mixed = stateAfter(`x${'u'.repeat(50)}`);
  expect(mixed.understanding).toMatchObject({ unknown: 1, understood: 11 });
  expect(stateAfter('u', mixed).understanding).toEqual(mixed.understanding);
});
