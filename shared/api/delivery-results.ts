import type { Delivery } from '../domain/delivery/delivery.ts';
import { isFinished } from '../domain/delivery/replay.ts';
import type { Deps } from '../runtime/deps.ts';

/** Reports attempts, by their start times (ms), to the rule hits of a delivery. */
export const reportAttempts = async (
  { store, now }: Deps<'ruleHits.report'>,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean,
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.ruleHits.report({ customerId, hitId: id, at: message, tries, sent }, now());
};

/** Ends the pending original deliveries of a redelivery that the receiver accepted. */
export const endOriginals = async (
  { store, now }: Deps<'repetitions.endOriginal'>,
  { customerId, webhookId, replayOf, repeats }: Delivery,
): Promise<Delivery[]> => {
  const ids = [replayOf, repeats].filter((id) => id !== undefined);
  const ended = ids.map((id) => store.repetitions.endOriginal({ customerId, webhookId, id }, now()));
  return (await Promise.all(ended)).filter((result) => result !== null);
};

/** Finishes a replay when its last delivery has ended. */
export const endReplay = async (
  { store, now }: Deps<'replays.get' | 'replays.finish'>,
  { customerId, webhookId, replay }: Delivery,
): Promise<void> => {
  const job =
    replay === undefined || webhookId === null ? null : await store.replays.get(customerId, webhookId, replay);
  if (job?.state === 'running' && isFinished(job)) await store.replays.finish(job, 'completed', now());
};
