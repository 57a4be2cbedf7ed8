import type { WebhookDelivery } from '#shared/domain/delivery/delivery.ts';
import { isFinished, isReplayed, type ReplayRecord, replayedDelivery, spanOf } from '#shared/domain/delivery/replay.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { type DeliverDeps, MARGIN_MS } from './deps.ts';
import { enqueueIfSoon } from './schedule.ts';

/** How many deliveries a step examines. */
const PAGE_SIZE = 100;
/** How far ahead of time (ms) a redelivery may be written. Once written, it is sent even if the replay is paused. */
const AHEAD_MS = 5_000;
/** How often (ms) a replay is checked while only its deliveries are pending. Normally the last delivery finishes it. */
const CHECK_INTERVAL_MS = 600_000;

/** Whether a redelivery replaces a held delivery. */
const replacesHeld = async (
  { store }: DeliverDeps,
  { customerId, webhookId, replayOf = '' }: WebhookDelivery,
): Promise<boolean> => (await store.deliveries.get(customerId, webhookId, replayOf))?.reason === 'replayed';

/**
 * Ends the unsent deliveries in a canceled replay, except those that replace held deliveries, which still have to be
 * sent. A delivery being sent is checked again later.
 */
const cancelUnsent = async (deps: DeliverDeps, replay: ReplayRecord, timeLeft: () => number): Promise<void> => {
  const { store, now } = deps;
  const { customerId, webhookId, createDate } = replay;
  let startAfter: string | null = null;
  let isEnded = true;
  do {
    const { page, next } = await store.deliveries.range(customerId, webhookId, [createDate, createDate], {
      startAfter,
    });
    const unsent = page.filter(
      (delivery) => delivery.replay === replay.id && !['delivered', 'failed'].includes(delivery.state),
    );
    for (const delivery of unsent) {
      if (await replacesHeld(deps, delivery)) continue;
      const { end } = delivery.state === 'held' ? store.held : store.deliveries;
      if (!(await end(delivery, 'canceled', now()))) isEnded = false;
    }
    startAfter = next ?? null;
    if (timeLeft() < MARGIN_MS) return;
  } while (startAfter);
  if (isEnded) await store.replays.close(replay);
};

/**
 * Writes redeliveries for the matching deliveries on a page, at the replay rate and as far ahead as allowed. Returns
 * the last delivery examined, and when (ms) the next redelivery may be sent.
 */
const writeRedeliveries = async (deps: DeliverDeps, replay: ReplayRecord, page: readonly WebhookDelivery[]) => {
  const { store, now } = deps;
  // A time that is too far ahead was written before the clock was set back.
  let time = isFuture(replay.pacedUntil, now() + AHEAD_MS) ? now() : Math.max(now(), replay.pacedUntil);
  let examined: WebhookDelivery | undefined;
  for (const original of page) {
    if (time > now() + AHEAD_MS) break;
    examined = original;
    if (!isReplayed(replay, original)) continue;
    const redelivery = replayedDelivery(original, replay, time, now());
    if (await store.replays.add(replay, redelivery, original, now())) await enqueueIfSoon(deps, redelivery, time);
    time += 1_000 / replay.ratePerSecond;
  }
  return { examined, pacedUntil: Math.ceil(time) };
};

/** Examines the next page of deliveries, and enqueues the following step. */
const examinePage = async (deps: DeliverDeps, replay: ReplayRecord): Promise<void> => {
  const { store, now, enqueue } = deps;
  const { customerId, webhookId, id: replayId, cursor } = replay;
  const { page, next } = await store.deliveries.range(customerId, webhookId, spanOf(replay), {
    startAfter: cursor,
    limit: PAGE_SIZE,
  });
  const { examined, pacedUntil } = await writeRedeliveries(deps, replay, page);
  const isListed = next === undefined && examined === page.at(-1);
  const progress = { cursor: examined?.id ?? cursor, isListed, pacedUntil };
  if (!(await store.replays.advance(replay, progress, pacedUntil))) return;
  const delaySeconds = Math.max(0, (pacedUntil - AHEAD_MS / 2 - now()) / 1_000);
  await enqueue([{ type: 'step_replay', customerId, webhookId, replayId }], { delaySeconds });
};

/**
 * Runs one replay step. The progress is in the table, and redelivery ids are derived from the originals, so an
 * interrupted step can be repeated without sending anything twice. A replay ends when its webhook is deleted.
 */
export const stepReplay = async (
  deps: DeliverDeps,
  { customerId, webhookId, replayId }: { customerId: number; webhookId: string; replayId: string },
  timeLeft: () => number,
): Promise<void> => {
  const { store, now } = deps;
  if (!(await store.webhooks.get(customerId, webhookId)))
    return store.replays.close({ customerId, webhookId, id: replayId });
  const replay = await store.replays.get(customerId, webhookId, replayId);
  if (!replay) return;
  if (replay.state === 'canceled') return cancelUnsent(deps, replay, timeLeft);
  // Resuming a paused replay enqueues its next step.
  if (replay.state !== 'running' || replay.isPaused) return store.replays.close(replay);
  if (!replay.isListed) return examinePage(deps, replay);
  if (isFinished(replay)) await store.replays.finish(replay, 'completed', now());
  else await store.replays.advance(replay, replay, now() + CHECK_INTERVAL_MS);
};
