import { randomFrom } from '../../lib/local/random.ts';
import { check, type Posted, untold, type Verdict } from './check.ts';
import { postFall, postFalls } from './falls.ts';
import type { Fault, Story } from './fault.ts';
import type { Scene } from './scene.ts';
import type { FaultWorld } from './world.ts';

const STEP_MS = 40_000;
const HOUR = 3_600_000;
/** The largest jump of a clock (ms). */
const JUMP_MS = 6 * HOUR;

export type Report = Verdict & {
  injected: number;
  /** The number of events that were told only after the fault had ended. */
  recovered: number;
  /** The number of tasks that still wait when none should. */
  pending: number;
  /** The times (ms) from each 202 to the first 2xx, by the clock of the cloud. */
  waits: number[];
};

/** Gives the events that were not told, because their delivery ended with one of the reasons. */
const excused = async (
  { stores: { deliveries }, clock, receiver }: FaultWorld,
  posted: readonly Posted[],
  reasons: readonly string[],
): Promise<Set<string>> => {
  const found = new Set<string>();
  if (reasons.length === 0 || untold(posted, receiver.receipts).length === 0) return found;
  const since = Math.min(...posted.map(({ at }) => at ?? clock.now())) - 2 * JUMP_MS;
  const places = new Map(posted.flatMap(({ webhooks, customerId }) => webhooks.map((id) => [id, customerId])));
  for (const [webhookId, customerId] of places) {
    const { page } = await deliveries.range(customerId, webhookId, [since, Number.MAX_SAFE_INTEGER]);
    for (const { state, reason, snapshot } of page)
      if (state === 'failed' && reasons.includes(reason ?? '')) found.add(`${snapshot.event.uuid} ${webhookId}`);
  }
  return found;
};

const suffer = async ({ chaos, chance, step, last }: Scene, fault: Fault): Promise<void> => {
  const { rates = {}, stepMs = STEP_MS, lastsMs, steps = Math.round(chance()) } = fault;
  if (lastsMs !== undefined) return last(lastsMs);
  for (let at = 0; at < steps; at++) {
    if (chance() < (rates.clockJump ?? 0)) chaos.jump(Math.round((2 * chance() - 1) * JUMP_MS));
    await step(stepMs);
  }
};

const reportOf = (posted: readonly Posted[], { receipts, strays }: FaultWorld['receiver'], healed: number) => {
  const acknowledged = new Map(posted.map(({ uuid, at }) => [uuid, at]));
  const first = [...new Map(receipts.toReversed().map((one) => [`${one.uuid} ${one.webhookId}`, one])).values()];
  return {
    strays: [...strays],
    recovered: first.filter(({ at }) => at > healed).length,
    waits: first.map(({ uuid, at }) => Math.max(0, at - (acknowledged.get(uuid) ?? at))),
  };
};

/** Posts some falls while a fault happens, ends the fault, and processes everything that waits. Gives the report. */
export const runFault = async (world: FaultWorld, fault: Fault, seed: number): Promise<Report> => {
  const { receiver, chaos, clock, cloud, homes } = world;
  for (const list of [receiver.receipts, receiver.strays]) list.length = 0;
  world.set(fault.settings);
  world.lag(fault.lags === true);
  const own = { maple: { ...homes.maple }, birch: { ...homes.birch } };
  const scene: Scene = { ...world, homes: own, chance: randomFrom(seed + 1) };
  const story: Story = (await fault.story?.(scene)) ?? {};
  chaos.begin(fault.rates ?? {}, seed);
  const posted = await postFalls(scene, fault);
  await story.atOnce?.((further) => void posted.push(further));
  if (scene.chance() < 0.9) await cloud.idle();
  // A message that is not evaluated yet has no delivery to retry, so the messages are evaluated first.
  if (story.amid) await world.judged();
  await story.amid?.();
  await suffer(scene, fault);
  const injected = chaos.heal();
  const healed = clock.now();
  await story.heal?.();
  const pending = await world.drain();
  const said = (await story.after?.()) ?? [];
  const verdict = check(posted, receiver.receipts, await excused(world, posted, fault.mayEnd ?? []));
  const { strays, ...figures } = reportOf(posted, receiver, healed);
  const unexpected = [...verdict.unexpected.filter((pair) => !world.sent.has(pair.split(' ')[0] ?? '')), ...said];
  return { ...verdict, ...figures, injected, pending, unexpected, wrong: [...verdict.wrong, ...strays] };
};

/** Posts falls, two at a time, and processes each while a fault happens. Gives the number of injected faults. */
export const flood = async (world: FaultWorld, { rates = {} }: Fault, falls: number): Promise<number> => {
  const { chaos, cloud, homes } = world;
  chaos.begin(rates, 1);
  for (let at = 0; at < falls; at += 2) {
    await Promise.all(Object.values(homes).map((home) => postFall(world, home)));
    await cloud.idle();
  }
  const injected = chaos.heal();
  await world.drain();
  return injected;
};
