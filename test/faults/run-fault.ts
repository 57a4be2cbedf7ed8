import { randomFrom } from '#lib/local/random.ts';
import { check, type Posted, undelivered, type Verdict } from './check.ts';
import { postFall, postFalls } from './falls.ts';
import type { Fault, Story } from './fault.ts';
import type { Scene } from './scene.ts';
import type { FaultWorld } from './world.ts';

const STEP_MS = 40_000;
const HOUR = 3_600_000;
/** The largest clock jump (ms). */
const JUMP_MS = 6 * HOUR;

export type Report = Verdict & {
  injected: number;
  /** The number of events delivered only after the fault had ended. */
  recovered: number;
  /** The number of tasks still pending when none should be. */
  pending: number;
  /** The times (ms) from each 202 to the first 2xx, as measured by the cloud's clock. */
  waits: number[];
  /** The template alarms that fired, by runbook chapter. */
  fired: string[];
  /** Acknowledged events that went undelivered for two minutes without any alarm firing. */
  unnoticed: string[];
};

/** How long (ms) a fall may wait for its first attempt before an alarm has to fire. */
const LATE_MS = 120_000;
/** How long (ms) CloudWatch may take to fire that alarm. */
const ALARM_DELAY_MS = 60_000;

/** Returns when (ms) the first delivery attempt for each of these events began, by `event webhook`. */
const attempted = async ({ stores: { deliveries } }: FaultWorld, posted: readonly Posted[]) => {
  const places = new Map(posted.flatMap(({ webhooks, customerId }) => webhooks.map((id) => [id, customerId])));
  const since = Math.min(...posted.map(({ at }) => at ?? Number.POSITIVE_INFINITY)) - 2 * JUMP_MS;
  const times = new Map<string, number>();
  for (const [webhookId, customerId] of places) {
    const { page } = await deliveries.range(customerId, webhookId, [since, Number.MAX_SAFE_INTEGER]);
    for (const { snapshot, sendTryTimes } of page) {
      const pair = `${snapshot.event.uuid} ${webhookId}`;
      // A redelivery is a separate delivery.
      const [first = Number.POSITIVE_INFINITY] = sendTryTimes;
      times.set(pair, Math.min(first, times.get(pair) ?? first));
    }
  }
  return times;
};

/** Returns the events that were not delivered in time and for which no alarm fired. */
const unnoticedEvents = async (world: FaultWorld, posted: readonly Posted[]): Promise<string[]> => {
  const { receipts } = world.receiver;
  const inTime = new Set(receipts.map(({ uuid, webhookId }) => `${uuid} ${webhookId}`));
  const late = posted.flatMap(({ uuid, at, webhooks }) =>
    at === null
      ? []
      : webhooks
          .map((webhookId) => ({ pair: `${uuid} ${webhookId}`, at }))
          .filter(({ pair }) => {
            const receipt = receipts.find(({ uuid, webhookId }) => `${uuid} ${webhookId}` === pair);
            return !inTime.has(pair) || (receipt && receipt.at - at > LATE_MS);
          }),
  );
  if (late.length === 0) return [];
  const tries = await attempted(world, posted);
  return late
    .map(({ pair, at }) => ({
      pair,
      at,
      until: Math.min(tries.get(pair) ?? Number.POSITIVE_INFINITY, world.clock.now()),
    }))
    .filter(({ at, until }) => until - at > LATE_MS && world.watch.fired(at, until + ALARM_DELAY_MS).length === 0)
    .map(({ pair }) => pair);
};

/** Returns the events that were not delivered because the delivery ended with one of these reasons. */
const excused = async (
  { stores: { deliveries }, clock, receiver }: FaultWorld,
  posted: readonly Posted[],
  reasons: readonly string[],
): Promise<Set<string>> => {
  const found = new Set<string>();
  if (reasons.length === 0 || undelivered(posted, receiver.receipts).length === 0) return found;
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
  const first = [
    ...new Map(receipts.toReversed().map((receipt) => [`${receipt.uuid} ${receipt.webhookId}`, receipt])).values(),
  ];
  return {
    strays: [...strays],
    recovered: first.filter(({ at }) => at > healed).length,
    waits: first.map(({ uuid, at }) => Math.max(0, at - (acknowledged.get(uuid) ?? at))),
  };
};

/** Posts some falls during a fault, ends the fault, and processes everything pending. Returns the report. */
export const runFault = async (world: FaultWorld, fault: Fault, seed: number): Promise<Report> => {
  const { receiver, chaos, clock, cloud, homes } = world;
  for (const list of [receiver.receipts, receiver.strays]) list.length = 0;
  // Messages quarantined by earlier runs would keep the alarm on.
  world.queues.quarantine.purge();
  world.watch.clear();
  const begun = clock.now();
  world.set(fault.settings);
  world.lag(fault.lags === true);
  const runHomes = { maple: { ...homes.maple }, birch: { ...homes.birch } };
  const scene: Scene = { ...world, homes: runHomes, chance: randomFrom(seed + 1) };
  const story: Story = (await fault.story?.(scene)) ?? {};
  chaos.begin(fault.rates ?? {}, seed);
  const posted = await postFalls(scene, fault);
  await story.atOnce?.((further) => void posted.push(further));
  if (scene.chance() < 0.9) await cloud.idle();
  // A message has no delivery to retry until it is judged.
  if (story.duringRetries) await world.judged();
  await story.duringRetries?.();
  await suffer(scene, fault);
  const injected = chaos.heal();
  const healed = clock.now();
  await story.heal?.();
  const pending = await world.drain();
  const failedChecks = (await story.after?.()) ?? [];
  const verdict = check(posted, receiver.receipts, await excused(world, posted, fault.mayEnd ?? []));
  const { strays, ...figures } = reportOf(posted, receiver, healed);
  const unexpected = [
    ...verdict.unexpected.filter((pair) => !world.sent.has(pair.split(' ')[0] ?? '')),
    ...failedChecks,
  ];
  const fired = world.watch.fired(begun, clock.now() + ALARM_DELAY_MS);
  const unnoticed = await unnoticedEvents(world, posted);
  return {
    ...verdict,
    ...figures,
    injected,
    pending,
    unexpected,
    wrong: [...verdict.wrong, ...strays],
    fired,
    unnoticed,
  };
};

/** Posts falls two at a time and processes them during a fault. Returns the number of injected faults. */
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
