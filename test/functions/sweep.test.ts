import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPatience } from '../../functions/sweep/patience.ts';
import { systemClock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import type { Bell } from '../../shared/queue/bell.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';

let ahead = 0;
let cloud: Cloud;
const bells: Bell[] = [];
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: {
      ...systemClock,
      now: () => Date.now() + ahead,
      after: (ms, run) => (ms < 1_000 ? systemClock.after(ms, run) : () => {}),
    },
    // All bells are lost.
    wrap: (runtime) => ({ ...runtime, send: async (_, all) => void bells.push(...all) }),
  });
});
afterAll(() => cloud.stop());

describe('the sweeper', () => {
  test('rings for a message whose bell was lost, and each time waits longer before it rings again', async () => {
    const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, a.presence(true));
    const rungAfter = async (seconds: number) => {
      bells.length = 0;
      ahead += seconds * 1_000;
      await cloud.sweep();
      return bells.length;
    };
    expect(await rungAfter(20)).toBe(0);
    expect(await rungAfter(15)).toBe(1);
    expect([await rungAfter(5), await rungAfter(40)]).toEqual([0, 0]);
    expect(await rungAfter(10)).toBe(1);
    expect(await rungAfter(90)).toBe(0);
    expect(await rungAfter(20)).toBe(1);
  });
});

describe('patience', () => {
  test('never waits longer than a quarter of an hour, and forgets what was worked off', () => {
    const { isTime, tidy } = createPatience();
    let now = 0;
    const waits = Array.from({ length: 8 }, () => {
      const begin = now;
      while (!isTime('a', now)) now += 1_000;
      return now - begin;
    });
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 900, 900].map((seconds) => seconds * 1_000));
    tidy(now + 2 * 900_000 + 1);
    expect(isTime('a', now)).toBe(true);
  });
});
