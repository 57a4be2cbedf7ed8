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
/** The falls begin within this time (ms). */
const NIGHT = 3_600_000;
/**
 * The first person is notified at once, the others later. After the last step, all are notified every five minutes, up
 * to 20 times.
 */
const STEPS = { 60: 'b', 180: 'c' } as const;
const REPEAT_SECONDS = 300;
const due: readonly { who: string; after: number }[] = [
  { who: 'a', after: 0 },
  ...Object.entries(STEPS).map(([after, who]) => ({ who, after: Number(after) * 1_000 })),
  ...Array.from({ length: 20 }, (_, at) => (180 + (at + 1) * REPEAT_SECONDS) * 1_000).flatMap((after) =>
    [...'abc'].map((who) => ({ who, after })),
  ),
];
/** The probability of a notification being acknowledged. */
const ACKNOWLEDGED = 0.35;

type Act = { at: number; run: () => Promise<void> };
type Fall = { at: number; acknowledgedAt: number };

/**
 * Simulates a night with falls at many sensors and three people who acknowledge at random, and works out independently
 * who had to be notified and when. Returns the notifications that did not arrive within `late` ms, and those without a
 * reason.
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
      falls.set(sensorId, { at: clock.now(), acknowledgedAt: Number.POSITIVE_INFINITY });
    };
    acts.push({ at: begin + Math.floor(random() * NIGHT), run });
  }
  let seen = 0;
  const maybeAcknowledge = ({ body }: (typeof home.notifications)[number]) => {
    if (random() > ACKNOWLEDGED) return;
    const path = new URL(body.acknowledgeUrl).pathname.replace('/api/v1', '');
    const run = async () => {
      await home.client.as(undefined).ok('POST', path, {});
      const fall = falls.get(body.sensor.id);
      if (fall) fall.acknowledgedAt = Math.min(fall.acknowledgedAt, clock.now());
    };
    acts.push({ at: clock.now() + 500 + Math.floor(random() * 240) * 1_000, run });
  };
  const end = begin + NIGHT + 3 * 3_600_000;
  for (;;) {
    for (; seen < home.notifications.length; seen++) maybeAcknowledge(home.notifications[seen] ?? expect.unreachable());
    acts.sort((act, other) => act.at - other.at);
    const next = Math.min(clock.nextDue(), acts[0]?.at ?? end);
    if (next >= end) break;
    clock.skipTo(Math.max(next, clock.now()));
    if (acts[0] && acts[0].at <= next) await acts.shift()?.run();
    await cloud.idle();
  }
  const sent = home.notifications.map(({ who, at, body }) => ({ who, at, sensorId: body.sensor.id }));
  const missing: string[] = [];
  for (const [sensorId, { at, acknowledgedAt }] of falls)
    for (const { who, after } of due) {
      const time = at + after;
      const found = sent.findIndex(
        (call) => call.who === who && call.sensorId === sensorId && call.at >= time && call.at <= time + late,
      );
      if (found >= 0 && (sent[found]?.at ?? 0) <= acknowledgedAt + 1_000) sent.splice(found, 1);
      else if (time + late < acknowledgedAt) missing.push(`${sensorId}: ${who} after ${after / 1_000} s`);
    }
  const acknowledged = [...falls.values()].filter(({ acknowledgedAt }) => acknowledgedAt < end).length;
  return { falls: falls.size, notified: home.notifications.length, acknowledged, missing, needless: sent };
};

describe('a night with 50 sensors and three recipients who acknowledge at random', () => {
  test('notifies every recipient within 2 s and stops after an acknowledgement', async () => {
    const { falls, notified, acknowledged, ...wrong } = await play(1, 2_000);
    expect(wrong).toEqual({ missing: [], needless: [] });
    expect([falls, acknowledged]).toEqual([SENSORS, SENSORS]);
    // Many falls need more than one step.
    expect(notified).toBeGreaterThan(2 * SENSORS);
  });

  test('the sweep notifies every recipient within 61 s if the step tasks are lost', async () => {
    world.loseTimers('delayed');
    const { notified, ...night } = await play(2, 61_000);
    world.loseTimers(false);
    expect(night).toEqual({ falls: SENSORS, acknowledged: SENSORS, missing: [], needless: [] });
    expect(notified).toBeGreaterThan(2 * SENSORS);
  });
});
