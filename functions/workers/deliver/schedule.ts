import { report } from '#shared/api/delivery-results.ts';
import { RETRY_DELAYS } from '#shared/domain/delivery/delivery.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { deliverTask, MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { Quarantine } from '#shared/worker/failure.ts';
import type { DeliverDeps } from './deps.ts';

/**
 * What became of a delivery: the state that it is in, or how it goes on. `requeued`: its task is on a queue again;
 * `postponed`: without an attempt, its next one is later; `superseded`: another process has changed it meanwhile.
 */
export type Outcome = DeliveryState | 'requeued' | 'postponed' | 'superseded';

/** How soon (ms) a task may come back while another task works on the same delivery. */
const SOONEST_MS = 500;

/** The retry schedule of the webhook, or else of the stage. Null stands for the built-in one. */
export const retrySchedule = ({ settings }: DeliverDeps, webhook: WebhookRecord): readonly number[] | null =>
  webhook.retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);

/** The seconds before an attempt (`step`, the first one's being 0). A schedule that is too short takes the built-in one's. */
export const delayOf = (deps: DeliverDeps, webhook: WebhookRecord, step: number): number =>
  (retrySchedule(deps, webhook) ?? RETRY_DELAYS)[step] ?? RETRY_DELAYS[step] ?? 0;

/** Whether a queue can delay a task until a time (ms). What is due later waits in the due index. */
export const fitsQueue = (time: number, now: number): boolean => time - now <= MAX_DELAY_SECONDS * 1_000;

/**
 * Enqueues a delivery for a time (ms). Queues count in seconds, so the task may arrive up to a second early; it carries the
 * exact time. When that is further away than a queue can delay, the task is requeued on arrival.
 */
export const requeueAt = async ({ now, enqueue }: DeliverDeps, key: DeliveryKey, time: number): Promise<Outcome> => {
  const notBefore = Math.ceil(time);
  const delaySeconds = Math.floor((notBefore - now()) / 1_000);
  await enqueue([{ ...deliverTask(key), isRetry: true, notBefore }], { delaySeconds });
  return 'requeued';
};

/** Enqueues a delivery for a time (ms), unless that is later than a queue can delay. */
export const enqueueIfSoon = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  if (fitsQueue(time, deps.now())) await requeueAt(deps, key, time);
};

/** Moves the task of a first attempt to the queue of retries, where a slow receiver delays no alarm. */
export const requeueAsRetry = async ({ enqueue }: DeliverDeps, task: Deliver): Promise<Outcome> => {
  await enqueue([{ ...task, isRetry: true }]);
  return 'requeued';
};

/**
 * Requeues a delivery that this task could not change, until it has ended or is in the due index: the task may be its last
 * one. One that does not exist is quarantined: it was written before its task, so it is in another table.
 */
export const requeue = async (deps: DeliverDeps, key: DeliveryKey): Promise<Outcome> => {
  const { delivery, until } = await deps.store.deliveries.inQueue(key);
  if (delivery === null) throw new Quarantine('the table has no such delivery');
  if (until !== null) return requeueAt(deps, key, Math.max(until, deps.now() + SOONEST_MS));
  // The task may be here because the rule hit has not got the result of the attempt yet.
  if (delivery.state === 'delivered') await report(deps, delivery, delivery.sendTryTimes.slice(-1), true);
  return delivery.state;
};

/** Moves the next attempt of a delivery to a time (ms), without an attempt now. */
export const postpone = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<Outcome> => {
  const { store, now } = deps;
  if (!(await store.attempts.postpone(key, time, now(), fitsQueue(time, now())))) return requeue(deps, key);
  await enqueueIfSoon(deps, key, time);
  return 'postponed';
};
