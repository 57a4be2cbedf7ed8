import type { Delivery } from '../../../shared/domain/delivery.ts';
import { isFinished, type ReplayRecord, repetitionOf, spanOf, takes } from '../../../shared/domain/replay.ts';
import type { WebhookRecord } from '../../../shared/domain/webhook.ts';
import { type DeliverDeps, enqueueIfSoon } from './attempt.ts';

/** Deliveries that one step looks at. */
const STEP = 100;
/** So far ahead (ms) of its time a repetition is written at most: what is written goes out, also from a replay that is paused. */
const AHEAD_MS = 5_000;
/** So much time is left for the writes under way. */
const MARGIN_MS = 5_000;
/** A replay that only waits for its deliveries to end is looked at as rarely as this: the last one ends it. */
const LOOK_AGAIN_MS = 600_000;

/** Ends what a canceled replay has not sent yet; what is being sent now is looked at once more. */
const endRest = async ({ store, now }: DeliverDeps, replay: ReplayRecord, timeLeft: () => number): Promise<void> => {
  const { customerId, webhookId, createDate } = replay;
  let next: string | undefined;
  let isEnded = true;
  do {
    const found = await store.deliveries.range(customerId, webhookId, [createDate, createDate], next);
    const open = found.page.filter((one) => one.replay === replay.id && !['delivered', 'failed'].includes(one.state));
    for (const delivery of open) {
      const { end } = delivery.state === 'held' ? store.held : store.deliveries;
      if (!(await end(delivery, 'canceled', now()))) isEnded = false;
    }
    next = found.next;
    if (timeLeft() < MARGIN_MS) return;
  } while (next);
  if (isEnded) await store.replays.close(replay);
};

/**
 * Writes repetitions of deliveries of a page that fit, at the replay's pace, as far ahead as may be; gives the last one
 * that was looked at, and the time (ms) behind what was written.
 */
const repeat = async (deps: DeliverDeps, replay: ReplayRecord, page: readonly Delivery[]) => {
  const { store, now } = deps;
  let time = Math.max(now(), replay.pacedUntil);
  let seen: Delivery | undefined;
  for (const original of page) {
    if (time > now() + AHEAD_MS) break;
    seen = original;
    if (!takes(replay, original)) continue;
    const delivery = repetitionOf(original, replay, time, now());
    if (await store.replays.add(replay, delivery, original, now())) await enqueueIfSoon(deps, delivery, time);
    time += 1_000 / replay.ratePerSecond;
  }
  return { seen, pacedUntil: Math.ceil(time) };
};

/**
 * One step of a replay. Where it stands is in the table, and what it writes has ids that follow from what it repeats: a
 * step that was cut short is done again, and nothing comes twice.
 */
export const stepReplay = async (
  deps: DeliverDeps,
  { customerId, id: webhookId }: WebhookRecord,
  replayId: string,
  timeLeft: () => number,
): Promise<void> => {
  const { store, now, enqueue } = deps;
  const replay = await store.replays.get(customerId, webhookId, replayId);
  if (!replay) return;
  if (replay.state === 'canceled') return endRest(deps, replay, timeLeft);
  if (replay.state !== 'running') return store.replays.close(replay);
  // Whoever lets it go on puts its next step on the queue.
  if (replay.isPaused) return store.replays.close(replay);
  if (replay.isListed) {
    if (isFinished(replay)) return void (await store.replays.finish(replay, 'completed', now()));
    return void (await store.replays.advance(replay, replay, now() + LOOK_AGAIN_MS));
  }
  const { cursor } = replay;
  const { page, next } = await store.deliveries.range(customerId, webhookId, spanOf(replay), cursor, STEP);
  const { seen, pacedUntil } = await repeat(deps, replay, page);
  const isListed = next === undefined && seen === page.at(-1);
  const to = { cursor: seen?.id ?? cursor, isListed, pacedUntil };
  if (!(await store.replays.advance(replay, to, pacedUntil))) return;
  const delaySeconds = Math.max(0, (pacedUntil - AHEAD_MS / 2 - now()) / 1_000);
  await enqueue([{ type: 'step_replay', customerId, webhookId, replayId }], { delaySeconds });
};
