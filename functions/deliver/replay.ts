import type { Delivery } from '../../shared/domain/delivery.ts';
import { isFinished, type ReplayRecord, repetitionOf, spanOf, takes } from '../../shared/domain/replay.ts';
import type { WebhookRecord } from '../../shared/domain/webhook.ts';
import { type DeliverDeps, enqueueIfSoon } from './attempt.ts';

/** Deliveries that one step looks at. */
const STEP = 100;
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

/** Writes a repetition of each delivery of a page that fits, at the replay's pace; gives the time (ms) behind the last. */
const repeat = async (deps: DeliverDeps, replay: ReplayRecord, page: readonly Delivery[]): Promise<number> => {
  const { store, now } = deps;
  let time = Math.max(now(), replay.pacedUntil);
  for (const original of page) {
    if (!takes(replay, original)) continue;
    const delivery = repetitionOf(original, replay, time, now());
    if (await store.replays.add(replay, delivery, original, now())) await enqueueIfSoon(deps, delivery, time);
    time += 1_000 / replay.ratePerSecond;
  }
  return Math.ceil(time);
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
  if (replay.isListed) {
    if (isFinished(replay)) return void (await store.replays.finish(replay, 'completed', now()));
    return void (await store.replays.advance(replay, replay, now() + LOOK_AGAIN_MS));
  }
  const { cursor } = replay;
  const { page, next } = await store.deliveries.range(customerId, webhookId, spanOf(replay), cursor, STEP);
  const pacedUntil = await repeat(deps, replay, page);
  const to = { cursor: page.at(-1)?.id ?? cursor, isListed: next === undefined, pacedUntil };
  if (await store.replays.advance(replay, to, pacedUntil))
    await enqueue([{ type: 'step_replay', customerId, webhookId, replayId }], {
      delaySeconds: (pacedUntil - now()) / 1_000,
    });
};
