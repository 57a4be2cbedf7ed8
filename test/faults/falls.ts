import { fallMessage } from '../fixtures/home.ts';
import type { Posted } from './check.ts';
import type { Fault } from './fault.ts';
import type { Home } from './homes.ts';
import type { Scene } from './scene.ts';
import type { FaultWorld } from './world.ts';

const PAUSE_MS = 40_000;

/** Posts a fall like a device: repeatedly, until it is acknowledged or the device gives up. */
export const postFall = async (
  { clock, chaos, receiver, fresh, sent }: FaultWorld,
  { customerId, sensor, hooks }: Home,
): Promise<Posted> => {
  const uuid = crypto.randomUUID();
  sent.add(uuid);
  const fall = { uuid, customerId, webhooks: hooks.map(({ id }) => id) };
  // No two falls from one sensor start at the same time.
  const start = clock.now() + Number(fresh('').slice(1));
  const message = { ...fallMessage('calling', start), uuid };
  for (let attempt = 0; attempt < 3; attempt++) {
    const { status } = await sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message);
    if (status === 202) return { ...fall, at: clock.now() };
    // Every failure must be answered with 503, unless the process died.
    if (status !== 503 && !chaos.rates().crash) receiver.strays.push(`a message got the status ${status}`);
  }
  return { ...fall, at: null };
};

/** Posts some falls in one home or in both. A fall may be processed before the next one is posted. */
export const postFalls = async (scene: Scene, fault: Fault): Promise<Posted[]> => {
  const { chance, homes, cloud, step } = scene;
  const { birch, maple } = homes;
  if (fault.falls === 'one') return [await postFall(scene, birch)];
  const choice = chance();
  // A scenario always uses the birch home.
  const chosen = fault.story || choice < 0.65 ? birch : maple;
  const first = choice < 0.3 ? [birch, maple] : [chosen];
  const posted = await Promise.all(first.map((home) => postFall(scene, home)));
  if (chance() < 0.8) await cloud.idle();
  if (chance() < 0.2) await step(Math.ceil(chance() * PAUSE_MS));
  if (chance() < 0.15) posted.push(await postFall(scene, first.at(-1) ?? chosen));
  return posted;
};
