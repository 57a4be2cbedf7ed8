import { store } from '../../shared/store/store.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { fallMessage } from '../fixtures/home.ts';
import { failingClient } from './aws.ts';
import { calleeOf } from './callee.ts';
import { chanceOf } from './chance.ts';
import { createChaos } from './chaos.ts';
import { check, type Posted, untold, type Verdict } from './check.ts';
import { skippingClock } from './clock.ts';
import type { Fault, Story } from './fault.ts';
import { furnish, type Home } from './homes.ts';
import { failingHost } from './host.ts';
import { startChaosReceiver } from './receiver.ts';
import { adminsOf, type Scene } from './scene.ts';
import { timeOf } from './time.ts';

const STEP_MS = 40_000;
const HOUR = 3_600_000;
/** Many tries, soon: what is to be seen is that none is forgotten, not how long the ladder is. */
const SOON = `0${',2'.repeat(5)}${',20'.repeat(14)}`;

/** Sensors don't fall silent by the way: what that takes is not what is looked at. */
const lively = { SENSOR_INACTIVE_AFTER_SECONDS: 100 * 86_400 };

export type Report = Verdict & {
  injected: number;
  /** Told only after the trouble was over. */
  recovered: number;
  /** What still waits when nothing should. */
  pending: number;
  /** ms from each 202 to the first 2xx, by the clock of the cloud. */
  waits: number[];
};

/** A cloud on the embedded engine whose time can be skipped, with two homes and the receivers that are to hear of them. */
export const createFaultWorld = async () => {
  const time = skippingClock();
  const { clock } = time;
  const chaos = createChaos();
  const receiver = await startChaosReceiver(chaos, clock.now);
  const callee = calleeOf(chaos);
  let settings: Fault['settings'];
  const cloud = await startTestCloud({
    ...{ clock, log: () => {} },
    onClient: failingClient(chaos),
    wrap: failingHost(
      chaos,
      async () => callee,
      () => ({ ...lively, ...settings }),
    ),
    environment: { RETRY_SCHEDULE: SOON },
  });
  const admin = adminsOf(cloud, clock);
  const boss = await admin();
  const [maple, birch] = await Promise.all([
    furnish(boss, 'maple', receiver, true),
    furnish(boss, 'birch', receiver, false),
  ]);
  const { step, drain, last } = timeOf(cloud, time);
  let names = 0;
  const fresh = (name: string) => `${name}-${++names}`;

  let falls = 0;
  /** Posts a fall as a device does: again, until it is acknowledged or the device gives up. */
  const post = async ({ customerId, sensor, hooks }: Home): Promise<Posted> => {
    const uuid = crypto.randomUUID();
    const of = { uuid, customerId, webhooks: hooks.map(({ id }) => id) };
    const message = { ...fallMessage('calling', clock.now() + ++falls), uuid };
    for (let attempt = 0; attempt < 3; attempt++) {
      const { status } = await sensor.device.call('POST', `/devices/${sensor.sensorId}/messages`, message);
      if (status === 202) return { ...of, at: clock.now() };
      // Only a process that died has no better answer than that something went wrong.
      if (status !== 503 && !chaos.rates().crash) receiver.strays.push(`a message was answered ${status}`);
    }
    return { ...of, at: null };
  };

  /** What of this ended with one of the reasons instead of a success. */
  const excused = async (pairs: readonly string[], posted: readonly Posted[], reasons: readonly string[]) => {
    const { deliveries } = store(cloud.runtime.table);
    const found = new Set<string>();
    const since = Math.min(...posted.map(({ at }) => at ?? clock.now())) - 12 * HOUR;
    for (const webhookId of reasons.length > 0 ? new Set(pairs.map((pair) => pair.slice(37))) : []) {
      const customerId = posted.find(({ webhooks }) => webhooks.includes(webhookId))?.customerId ?? 0;
      const { page } = await deliveries.range(customerId, webhookId, [since, Number.MAX_SAFE_INTEGER]);
      for (const { state, reason, snapshot } of page)
        if (state === 'failed' && reasons.includes(reason ?? '')) found.add(`${snapshot.event.uuid} ${webhookId}`);
    }
    return found;
  };

  /** Some falls of one home or of both, of which each may be worked on when the next one comes. */
  const postAll = async (fault: Fault, { chance, homes }: Scene): Promise<Posted[]> => {
    const { birch, maple } = homes;
    const whose = fault.falls === 'one' ? 1 : chance();
    const one = fault.falls === 'one' || fault.story || whose < 0.7 ? birch : maple;
    const first = whose < 0.4 ? [birch, maple] : [one];
    const posted = await Promise.all(first.map(post));
    if (fault.falls === 'one') return posted;
    if (chance() < 0.8) await cloud.idle();
    if (chance() < 0.2) await step(Math.ceil(chance() * STEP_MS));
    if (chance() < 0.2) posted.push(...(await Promise.all(first.slice(-1).map(post))));
    return posted;
  };

  const suffer = async (fault: Fault, { chance }: Scene): Promise<void> => {
    const { rates = {}, stepMs = STEP_MS, lastsMs } = fault;
    if (lastsMs !== undefined) return last(lastsMs);
    const steps = fault.steps ?? Math.round(chance());
    for (let at = 0; at < steps; at++) {
      if (chance() < (rates.clockJump ?? 0)) chaos.jump(Math.round((2 * chance() - 1) * 6 * HOUR));
      await step(stepMs);
    }
  };

  /** Some falls while a fault happens; then all is well, and what waits is worked off. */
  const run = async (fault: Fault, seed: number): Promise<Report> => {
    const { receipts, strays } = receiver;
    for (const list of [receipts, strays]) list.length = 0;
    settings = fault.settings;
    const homes = { maple: { ...maple }, birch: { ...birch } };
    const scene: Scene = { cloud, receiver, clock, chance: chanceOf(seed + 1), homes, admin, step, drain, fresh };
    const story: Story = (await fault.story?.(scene)) ?? {};
    chaos.begin(fault.rates ?? {}, seed);
    const posted = await postAll(fault, scene);
    if (story.amid || scene.chance() < 0.9) await cloud.idle();
    await story.amid?.();
    await suffer(fault, scene);
    const injected = chaos.heal();
    const healed = clock.now();
    await story.heal?.();
    const pending = await drain();
    const said = (await story.after?.()) ?? [];
    const excuses = await excused(untold(posted, receipts), posted, fault.mayEnd ?? []);
    const verdict = check(posted, receipts, excuses);
    const acknowledged = new Map(posted.map(({ uuid, at }) => [uuid, at]));
    const first = [...new Map(receipts.toReversed().map((one) => [`${one.uuid} ${one.webhookId}`, one])).values()];
    return {
      ...verdict,
      unexpected: [...verdict.unexpected, ...said],
      wrong: [...verdict.wrong, ...strays],
      ...{ injected, pending },
      recovered: first.filter(({ at }) => at > healed).length,
      waits: first.map(({ uuid, at }) => Math.max(0, at - (acknowledged.get(uuid) ?? at))),
    };
  };

  /** So many falls, a few at a time, each told while a fault happens; how often it did. */
  const flood = async ({ rates = {} }: Fault, count: number): Promise<number> => {
    chaos.begin(rates, 1);
    for (let at = 0; at < count; at += 2) {
      await Promise.all([post(maple), post(birch)]);
      await cloud.idle();
    }
    const injected = chaos.heal();
    await drain();
    return injected;
  };

  return {
    run,
    flood,
    stop: async () => {
      await receiver.stop();
      await cloud.stop();
    },
  };
};
export type FaultWorld = Awaited<ReturnType<typeof createFaultWorld>>;
