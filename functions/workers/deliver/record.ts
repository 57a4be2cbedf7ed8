import type { Result } from '../../../shared/domain/attempt.ts';
import type { Delivery, Next } from '../../../shared/domain/delivery.ts';
import { isFinished } from '../../../shared/domain/replay.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueIfSoon, isSoon } from './enqueue.ts';

/** Reports the attempts that began at these times (ms) to the rule hits of a delivery. */
export const report = async (
  { store, now }: DeliverDeps,
  { customerId, hit, alsoHits = [] }: Delivery,
  tries: readonly number[],
  sent: boolean,
): Promise<void> => {
  for (const { id, message } of hit ? [hit, ...alsoHits] : [])
    await store.ruleHits.report({ customerId, hitId: id, at: message, tries, sent }, now());
};

/** Ends the original deliveries of a redelivery that the receiver accepted, if they still wait to be sent. */
const endOriginals = async ({ store, now }: DeliverDeps, delivery: Delivery): Promise<Delivery[]> => {
  const { customerId, webhookId, replayOf, repeats } = delivery;
  const ids = [replayOf, repeats].filter((id) => id !== undefined);
  const ended = ids.map((id) => store.repetitions.endOriginal({ customerId, webhookId, id }, now()));
  return (await Promise.all(ended)).filter((one) => one !== null);
};

/** Finishes a replay when its last delivery has ended. */
const endReplay = async ({ store, now }: DeliverDeps, { customerId, webhookId, replay }: Delivery): Promise<void> => {
  const job =
    replay === undefined || webhookId === null ? null : await store.replays.get(customerId, webhookId, replay);
  if (job?.state === 'running' && isFinished(job)) await store.replays.finish(job, 'completed', now());
};

/**
 * Writes down the result of an attempt: first what follows from it, last the delivery itself. A crash before that repeats
 * the attempt and everything after it. Returns the error when a rule hit could not be told, else undefined.
 */
export const record = async (deps: DeliverDeps, delivery: Delivery, result: Result, next: Next): Promise<unknown> => {
  const { store, now } = deps;
  const { sendTryTimes, log = [] } = delivery;
  // An attempt whose process died left no line in the log. Its start is reported with the next attempt.
  const unreported = sendTryTimes.slice(log.at(-1)?.[0] ?? 0);
  const sent = next.state === 'delivered';
  // When a hit cannot be written, the receiver is not called again: the task comes again for the hit alone.
  let missed: unknown;
  await report(deps, delivery, unreported, sent).catch((error: unknown) => {
    missed = error;
  });
  deps.failpoint('deliver.reported');
  const ended = sent ? await endOriginals(deps, delivery) : [];
  deps.failpoint('deliver.originals_ended');
  const time = next.state === 'retrying' ? next.nextAttempt : 0;
  await store.deliveries.record(delivery, result, next, now(), isSoon(time, now()));
  deps.failpoint('deliver.recorded');
  if (next.state === 'retrying') await enqueueIfSoon(deps, delivery, time);
  else for (const one of [delivery, ...ended]) await endReplay(deps, one);
  return missed;
};
