import { report } from '#shared/api/delivery-results.ts';
import { type Delivery, messageOf } from '#shared/domain/delivery/delivery.ts';
import { noteContext } from '#shared/observability/log.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { PutAside } from '#shared/worker/failure.ts';
import { chanceOf, type DeliverDeps } from './deps.ts';
import { enqueueAt } from './enqueue.ts';
import { endedIfTaken } from './taken.ts';

/** How long (ms) a task waits when another task works on the same delivery. */
const SOONEST_MS = 500;

/**
 * Puts a delivery that could not be claimed back on the queue, until it has ended or is in the due index: the current
 * task may be the last one of that delivery. One that does not exist is put aside, and is never done: it was written before
 * its task, so it is in another table.
 */
export const comeAgain = async (deps: DeliverDeps, key: DeliveryKey): Promise<void> => {
  const { delivery, until } = await deps.store.deliveries.inQueue(key);
  if (delivery === null) throw new PutAside('the table has no such delivery');
  if (until !== null) await enqueueAt(deps, key, Math.max(until, deps.now() + SOONEST_MS));
  // The task may have come again because the attempt was not reported to a rule hit yet.
  else if (delivery.state === 'delivered') await report(deps, delivery, delivery.sendTryTimes.slice(-1), true);
};

/** Claims a delivery for one attempt, of which log lines tell from then on. Null: no attempt is to be made now. */
export const claim = async (deps: DeliverDeps, key: DeliveryKey): Promise<Delivery | null> => {
  const claimed = await deps.store.attempts.claim(key, deps.now(), chanceOf(deps), deps.aloneSince);
  if (!claimed) {
    await comeAgain(deps, key);
    return null;
  }
  const delivery = { ...key, ...claimed };
  const { requestId, snapshot } = delivery;
  noteContext({ uuid: messageOf(snapshot), ...(requestId !== undefined && { requestId }) });
  deps.failpoint('deliver.claimed');
  return (await endedIfTaken(deps, delivery)) ? null : delivery;
};
