import { deliverTask, MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import type { DeliverDeps } from './deps.ts';

/** Is a time (ms) so soon that a queue can delay a task until then? */
export const isSoon = (time: number, now: number): boolean => time - now <= MAX_DELAY_SECONDS * 1_000;

/**
 * Puts a delivery on the queue for a time (ms). Queues count in seconds, so the task may come up to a second early; it
 * carries the exact time. When the time is further away than a queue can delay, the task is put on the queue again then.
 */
export const enqueueAt = async ({ now, enqueue }: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  const notBefore = Math.ceil(time);
  const delaySeconds = Math.floor((notBefore - now()) / 1_000);
  await enqueue([{ ...deliverTask(key), isRetry: true, notBefore }], { delaySeconds });
};

/** Puts a delivery on the queue for a time (ms), unless that is later than a queue can delay: then the due index has it. */
export const enqueueIfSoon = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  if (isSoon(time, deps.now())) await enqueueAt(deps, key, time);
};
