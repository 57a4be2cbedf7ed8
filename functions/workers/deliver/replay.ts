import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { isFinished, type ReplayRecord, repetitionOf, spanOf, takes } from '#shared/domain/delivery/replay.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueIfSoon } from './enqueue.ts';

/** Deliveries that one step looks at. */
const STEP = 100;
/** How far ahead (ms) of its time a repetition is written at most: once written, it is sent even if the replay is paused. */
const AHEAD_MS = 5_000;
/** How much time (ms) a step leaves for the writes under way. */
const MARGIN_MS = 5_000;
/** How often (ms) a replay is checked that only waits for its deliveries to end: its last delivery finishes it. */
const LOOK_AGAIN_MS = 600_000;

/** Does a repetition take the place of a delivery that was held? */
const isInstead = async (
  { store }: DeliverDeps,
  { customerId, webhookId, replayOf = '' }: WebhookDelivery,
): Promise<boolean> => (await store.deliveries.get(customerId, webhookId, replayOf))?.reason === 'replayed';

/**
 * Ends the deliveries that a canceled replay has not sent yet, but for those that take the place of a held one: these go on
 * as it would have. One that is being sent is checked once more later.
 */
const endRest = async (deps: DeliverDeps, replay: ReplayRecord, timeLeft: () => number): Promise<void> => {
  const { store, now } = deps;
  const { customerId, webhookId, createDate } = replay;
  let next: string | undefined;
  let isEnded = true;
  do {
    const found = await store.deliveries.range(customerId, webhookId, [createDate, createDate], {
      startAfter: next ?? null,
    });
    const open = found.page.filter(
      (delivery) => delivery.replay === replay.id && !['delivered', 'failed'].includes(delivery.state),
    );
    for (const delivery of open) {
      if (await isInstead(deps, delivery)) continue;
      const { end } = delivery.state === 'held' ? store.held : store.deliveries;
      if (!(await end(delivery, 'canceled', now()))) isEnded = false;
    }
    next = found.next;
    if (timeLeft() < MARGIN_MS) return;
  } while (next);
  if (isEnded) await store.replays.close(replay);
};

/**
 * Writes repetitions of the matching deliveries of a page, at the replay's rate and as far ahead as allowed. Returns the
 * last delivery that was examined, and the time (ms) after the last repetition.
 */
const repeat = async (deps: DeliverDeps, replay: ReplayRecord, page: readonly WebhookDelivery[]) => {
  const { store, now } = deps;
  let time = Math.max(now(), replay.pacedUntil);
  let seen: WebhookDelivery | undefined;
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
 * Does one step of a replay. Its progress is in the table, and the ids of repetitions are derived from what they repeat:
 * a step that was interrupted is done again, and nothing is sent twice.
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
  // The operation that resumes the replay puts its next step on the queue.
  if (replay.isPaused) return store.replays.close(replay);
  if (replay.isListed) {
    if (isFinished(replay)) return void (await store.replays.finish(replay, 'completed', now()));
    return void (await store.replays.advance(replay, replay, now() + LOOK_AGAIN_MS));
  }
  const { cursor } = replay;
  const { page, next } = await store.deliveries.range(customerId, webhookId, spanOf(replay), {
    startAfter: cursor,
    limit: STEP,
  });
  const { seen, pacedUntil } = await repeat(deps, replay, page);
  const isListed = next === undefined && seen === page.at(-1);
  const to = { cursor: seen?.id ?? cursor, isListed, pacedUntil };
  if (!(await store.replays.advance(replay, to, pacedUntil))) return;
  const delaySeconds = Math.max(0, (pacedUntil - AHEAD_MS / 2 - now()) / 1_000);
  await enqueue([{ type: 'step_replay', customerId, webhookId, replayId }], { delaySeconds });
};
