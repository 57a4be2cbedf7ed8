import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '../../../lib/local/cloud.ts';
import { makerOf, planFor } from '../../../lib/local/simulate/plan.ts';
import { clockText, simulate, tallyText } from '../../../lib/local/simulate/run.ts';
import { decode } from '../../../shared/domain/decode.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY, startTestCloud } from '../../fixtures/cloud.ts';

const said = (plan: ReturnType<typeof planFor>) =>
  plan.messages.map(({ at, sensor, message }) => ({ at, sensor, message: message((time) => time) }));

describe('a simulated home', () => {
  test('lives the same days with the same seed, and others with another', () => {
    const given = { sensors: 6, days: 2, seed: 1 };
    expect(said(planFor(given))).toEqual(said(planFor(given)));
    expect(said(planFor({ ...given, seed: 2 }))).not.toEqual(said(planFor(given)));
  });
  test('says nothing that the cloud does not understand, in the order of time, with sensors of both makers', () => {
    const all = said(planFor({ sensors: 20, days: 1, seed: 3 }));
    for (const { sensor, message } of all) expect(decode(makerOf(sensor), message).signal.kind).not.toBe('unknown');
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((one, other) => one - other));
    expect(new Set(all.map(({ sensor }) => sensor)).size).toBe(20);
  });
  test('has its falls: one resident in eight falls in a day', () => {
    const { falls } = planFor({ sensors: 800, days: 1, seed: 1 });
    expect(falls).toBeGreaterThan(60);
    expect(falls).toBeLessThan(140);
  });
});

describe('the simulator', () => {
  let cloud: Cloud;
  beforeAll(async () => {
    cloud = await startTestCloud();
  });
  afterAll(() => cloud.stop());

  test('sends what happens over HTTP, and every fall of it is told', async () => {
    const days = Array.from({ length: 100 }, (_, seed) => planFor({ sensors: 1, days: 1, seed }));
    const day = days.find(({ falls }) => falls > 0);
    // The hours in which residents fall.
    const HOUR = 3_600_000;
    const messages = day?.messages.filter(({ at }) => at > 9.4 * HOUR && at < 10.6 * HOUR) ?? [];
    const access = { base: cloud.url, username: 'admin', password: ADMIN_PASSWORD, provisioningKey: PROVISIONING_KEY };
    const lines: string[] = [];
    const { tally, holds } = await simulate(
      { ...access, sensors: 1, days: 1, speed: 100_000, seed: 0 },
      {
        now: Date.now,
        pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
        paceMs: 0,
        show: (now) => lines.push(tallyText(now)),
        settled: async () => {
          await cloud.idle();
          await cloud.idle();
        },
      },
      { messages, falls: 1 },
    );
    expect({ holds, sent: tally.sent, refused: tally.refused }).toEqual({
      holds: true,
      sent: messages.length,
      refused: 0,
    });
    expect(tally.told.get('fall/fall_detected')).toBe(1);
    expect(lines.at(-1)).toMatch(/^day 1 10:\d\d {2}sent \d+ {2}arrived \d+: /);
  });

  test('tells the simulated time', () => {
    expect([0, 7.5 * 3_600_000, 86_400_000].map(clockText)).toEqual(['day 1 00:00', 'day 1 07:30', 'day 2 00:00']);
  });

  test.each([
    [['--help'], 0, /--speed 60/],
    [['--sensors', 'many'], 2, /--sensors is a whole number/],
    [['--url', 'http://127.0.0.1:1/api/v1'], 2, /--provisioning-key/],
  ] as const)('explains itself: %j', (args, status, text) => {
    const ended = spawnSync(process.execPath, ['bin/simulate.ts', ...args], { encoding: 'utf8' });
    expect({ status: ended.status, text: ended.stdout + ended.stderr }).toEqual({
      status,
      text: expect.stringMatching(text),
    });
  });
});
