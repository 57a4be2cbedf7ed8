import { describe, expect, test } from 'vitest';
import { newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { isFuture, latestAhead } from '#shared/domain/state/clock.ts';
import { withoutFuture } from '#shared/domain/state/set-back.ts';

const now = 1_800_000_000_000;
const DAY = 86_400_000;
const active: SensorState = { ...newSensorState, isActive: true };

describe('recorded times', () => {
  test('a recorded time counts as being in the future only if it is more than 10 s ahead', () => {
    expect([now - 1, now, now + 10_000, now + 10_001].map((time) => isFuture(time, now))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
  test('a planned time may be up to 10 s late', () => {
    expect(latestAhead(now, 60_000)).toBe(now + 70_000);
    expect(isFuture(latestAhead(now, 0), now)).toBe(false);
  });
});

describe('state after the clock was set back', () => {
  /** A state with all times set to `time`. */
  const at = (time: number): SensorState => ({
    ...active,
    lastSeen: time,
    presenceAt: time,
    regionsAt: time,
    bedExit: time,
    clockWrongAt: time,
    fired: { '7': time, '8': now - DAY },
    loop: [now - 1, time],
    falls: [
      { start: time, phases: ['calling'], time, at: time },
      { start: 1, phases: ['calling', 'finished'], endedByTime: time },
      { start: 2, phases: ['finished'] },
    ],
    tracks: [{ id: 1, pose: 5, at: time, poseAt: time, alarmedUpTo: time, alarmedAgain: time }, { id: 2 }],
    understanding: { since: time, understood: 4, unknown: 2 },
  });

  test('setting the clock back removes future times from the state', () => {
    expect(withoutFuture(at(now + DAY), now)).toEqual({
      ...active,
      lastSeen: now,
      fired: { '8': now - DAY },
      loop: [now - 1],
      falls: [
        { start: now + DAY, phases: ['calling'], at: now },
        { start: 1, phases: ['calling', 'finished'], endedByTime: now },
        { start: 2, phases: ['finished'] },
      ],
      tracks: [{ id: 1, pose: 5 }, { id: 2 }],
      understanding: { since: now, understood: 4, unknown: 2 },
    });
  });
  test('setting the clock back keeps past times in the state', () => {
    expect(withoutFuture(at(now - 1), now)).toEqual({ ...at(now - 1), lastSeen: now });
  });
  test('setting the clock back keeps device times up to five minutes in the future', () => {
    const ahead = withoutFuture(at(now + 300_000), now);
    expect(ahead).toMatchObject({ presenceAt: now + 300_000, regionsAt: now + 300_000, fired: { '7': now + 300_000 } });
    expect(ahead.loop).toEqual([now - 1, now + 300_000]);
    expect(ahead.falls[0]).toMatchObject({ time: now + 300_000, at: now });
    expect(withoutFuture(at(now + 300_001), now)).not.toHaveProperty('presenceAt');
    expect(withoutFuture(at(now + 300_001), now).loop).toEqual([now - 1]);
  });
  test('setting the clock back does not add fields to the state', () => {
    expect(withoutFuture(active, now)).toEqual({ ...active, lastSeen: now });
    expect(Object.keys(withoutFuture(active, now)).toSorted()).toEqual(Object.keys(active).toSorted());
  });
});
