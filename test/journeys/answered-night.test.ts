import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { randomFrom } from '#lib/local/random.ts';
import { createEscalationWorld, type EscalationWorld } from '../fixtures/escalation.ts';
import { fallMessage, linkSensor } from '../fixtures/home.ts';

let world: EscalationWorld;
beforeAll(async () => {
  world = await createEscalationWorld();
});
afterAll(() => world.stop());

const SENSORS = 50;
/** The first falls begin within this time (ms). */
const NIGHT = 3_600_000;
/** The first is told at once, then the others; after the last step all of them every five minutes, 20 times at most. */
const STEPS = { 60: 'b', 180: 'c' } as const;
const REPEAT_SECONDS = 300;
const due: readonly { who: string; after: number }[] = [
  { who: 'a', after: 0 },
  ...Object.entries(STEPS).map(([after, who]) => ({ who, after: Number(after) * 1_000 })),
  ...Array.from({ length: 20 }, (_, at) => (180 + (at + 1) * REPEAT_SECONDS) * 1_000).flatMap((after) =>
    [...'abc'].map((who) => ({ who, after })),
  ),
];
/** How likely somebody who is told answers. */
const ANSWERS = 0.35;

type Act = { at: number; run: () => Promise<void> };
type Fall = { at: number; answeredAt: number };

/**
 * Plays falls of many sensors in a night of three who answer when they like, and counts by itself who had to be told when.
 * Gives whom nobody told within `late` ms of their time, and who was told without a reason.
 */
const play = async (seed: number, late: number) => {
  const random = randomFrom(seed);
  const { cloud, clock, furnish } = world;
  const home = await furnish(3);
  await home.addRule('a', STEPS, { repeatSeconds: REPEAT_SECONDS });
  const falls = new Map<string, Fall>();
  const acts: Act[] = [];
  const begin = clock.now();
  for (let at = 0; at < SENSORS; at++) {
    const { sensorId, device } = await linkSensor(home.client);
    const run = async () => {
      await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', clock.now()));
      falls.set(sensorId, { at: clock.now(), answeredAt: Number.POSITIVE_INFINITY });
    };
    acts.push({ at: begin + Math.floor(random() * NIGHT), run });
  }
  let heard = 0;
  const answer = ({ body }: (typeof home.told)[number]) => {
    if (random() > ANSWERS) return;
    const path = new URL(body.acknowledgeUrl).pathname.replace('/api/v1', '');
    const run = async () => {
      await home.client.as(undefined).ok('POST', path, {});
      const fall = falls.get(body.sensor.id);
      if (fall) fall.answeredAt = Math.min(fall.answeredAt, clock.now());
    };
    acts.push({ at: clock.now() + 500 + Math.floor(random() * 240) * 1_000, run });
  };
  const end = begin + NIGHT + 3 * 3_600_000;
  for (;;) {
    for (; heard < home.told.length; heard++) answer(home.told[heard] ?? expect.unreachable());
    acts.sort((act, other) => act.at - other.at);
    const next = Math.min(clock.next(), acts[0]?.at ?? end);
    if (next >= end) break;
    clock.skipTo(Math.max(next, clock.now()));
    if (acts[0] && acts[0].at <= next) await acts.shift()?.run();
    await cloud.idle();
  }
  const left = home.told.map(({ who, at, body }) => ({ who, at, sensorId: body.sensor.id }));
  const missing: string[] = [];
  for (const [sensorId, { at, answeredAt }] of falls)
    for (const { who, after } of due) {
      const time = at + after;
      const found = left.findIndex(
        (call) => call.who === who && call.sensorId === sensorId && call.at >= time && call.at <= time + late,
      );
      if (found >= 0 && (left[found]?.at ?? 0) <= answeredAt + 1_000) left.splice(found, 1);
      else if (time + late < answeredAt) missing.push(`${sensorId}: ${who} after ${after / 1_000} s`);
    }
  const answered = [...falls.values()].filter(({ answeredAt }) => answeredAt < end).length;
  return { falls: falls.size, told: home.told.length, answered, missing, needless: left };
};

describe('a night with 50 sensors and three who answer when they like', () => {
  test('everybody is told at their time, within 2 s, and nobody once somebody has answered', async () => {
    const { falls, told, answered, ...wrong } = await play(1, 2_000);
    expect(wrong).toEqual({ missing: [], needless: [] });
    expect([falls, answered]).toEqual([SENSORS, SENSORS]);
    // Many falls take more than one step.
    expect(told).toBeGreaterThan(2 * SENSORS);
  });

  test('and within 61 s where the tasks of the steps are lost, by the sweep', async () => {
    world.loseTimers('delayed');
    const { told, ...night } = await play(2, 61_000);
    world.loseTimers(false);
    expect(night).toEqual({ falls: SENSORS, answered: SENSORS, missing: [], needless: [] });
    expect(told).toBeGreaterThan(2 * SENSORS);
  });
});
