import { correctedAttempt } from '#shared/domain/delivery/set-back.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import type { DeliverDeps } from './deps.ts';
import { type Outcome, requeueFound } from './schedule.ts';

/** Corrects the next attempt if it was planned before the clock was set back. Null if it may be attempted now. */
export const correctAttempt = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  { setBack }: Deliver,
): Promise<Outcome | null> => {
  const { store, now, log } = deps;
  const found = await store.deliveries.getQueued(key);
  const { delivery } = found;
  const time = delivery && correctedAttempt(delivery, setBack ?? null, now());
  if (!delivery || time === null) return setBack === undefined ? null : requeueFound(deps, key, found);
  const { id: deliveryId, nextAttempt } = delivery;
  if (!(await store.attempts.replan(key, nextAttempt, time, now()))) return delivery.state;
  log('warn', 'the clock was set back: an attempt is made earlier than planned', { deliveryId, nextAttempt, time });
  return time > now() ? 'postponed' : null;
};
