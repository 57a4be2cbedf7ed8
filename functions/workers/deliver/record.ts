import { endOriginals, endReplay, report } from '#shared/api/delivery-results.ts';
import type { Result } from '#shared/domain/delivery/attempt.ts';
import type { Delivery, Next } from '#shared/domain/delivery/delivery.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueIfSoon, isSoon } from './enqueue.ts';

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
  await store.attempts.record(delivery, { result, next }, now(), isSoon(time, now()));
  deps.failpoint('deliver.recorded');
  if (next.state === 'retrying') await enqueueIfSoon(deps, delivery, time);
  else for (const finished of [delivery, ...ended]) await endReplay(deps, finished);
  return missed;
};
