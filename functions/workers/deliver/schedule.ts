import { checkFailedRound, reportAttempts } from '#shared/api/delivery-results.ts';
import { RETRY_DELAYS } from '#shared/domain/delivery/delivery.ts';
import type { DeliveryState } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { type DueDelivery, deliverTask, MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { Quarantine } from '#shared/worker/failure.ts';
import type { DeliverDeps } from './deps.ts';

/**
 * What happened to a delivery: the state, or how it continues. `requeued`: the task is back in a queue; `postponed`: no
 * attempt was made, and the next one is later; `superseded`: another process has changed the delivery.
 */
export type Outcome = DeliveryState | 'requeued' | 'postponed' | 'superseded';

/** The minimum delay (ms) for a task while another task works on the same delivery. */
const SOONEST_MS = 500;

/** Returns the webhook's retry schedule or, if it has none, the stage's. Null means the built-in schedule. */
export const retrySchedule = ({ settings }: DeliverDeps, webhook: WebhookRecord): readonly number[] | null =>
  webhook.retrySchedule ?? (settings.RETRY_SCHEDULE.length > 0 ? settings.RETRY_SCHEDULE : null);

/**
 * Returns the delay (s) before an attempt. `step` is 0 for the first attempt. Steps beyond the end of a schedule use
 * the built-in one.
 */
export const delayBefore = (deps: DeliverDeps, webhook: WebhookRecord, step: number): number =>
  (retrySchedule(deps, webhook) ?? RETRY_DELAYS)[step] ?? RETRY_DELAYS[step] ?? 0;

/** Whether a queue can delay a task until the given time (ms). Deliveries due later wait in the `due` index. */
export const fitsQueue = (time: number, now: number): boolean => time - now <= MAX_DELAY_SECONDS * 1_000;

/**
 * Enqueues a delivery for the given time (ms). Queues count in seconds, so the task carries the exact time and may
 * arrive up to a second early. If a queue cannot delay the task that long, it is requeued on arrival.
 */
export const requeueAt = (deps: DeliverDeps, delivery: DueDelivery, time: number): Promise<Outcome> =>
  requeueTaskAt(deps, deliverTask(delivery), time);

/** Enqueues a delivery task for the given time (ms), like requeueAt. */
export const requeueTaskAt = async ({ now, enqueue }: DeliverDeps, task: Deliver, time: number): Promise<Outcome> => {
  const notBefore = Math.ceil(time);
  const delaySeconds = Math.floor((notBefore - now()) / 1_000);
  await enqueue([{ ...task, isRetry: true, notBefore }], { delaySeconds });
  return 'requeued';
};

/** Enqueues a delivery for the given time (ms), unless queues cannot delay it that long. */
export const enqueueIfSoon = async (deps: DeliverDeps, key: DueDelivery, time: number): Promise<void> => {
  if (fitsQueue(time, deps.now())) await requeueAt(deps, key, time);
};

/** Moves a first attempt's task to the retry queue, where slow receivers do not delay alarms. */
export const requeueAsRetry = async ({ enqueue }: DeliverDeps, task: Deliver): Promise<Outcome> => {
  await enqueue([{ ...task, isRetry: true }]);
  return 'requeued';
};

/**
 * Requeues a delivery this task could not change, because this may be the last task. Stops once the delivery has ended
 * or is in the `due` index. Quarantines the task if the delivery does not exist: deliveries are written before their
 * tasks, so the task belongs to another table.
 */
export const requeue = async (deps: DeliverDeps, key: DeliveryKey): Promise<Outcome> =>
  requeueFound(deps, key, await deps.store.deliveries.getQueued(key));

/** A delivery as found by its task, and the time (ms) until which the task must stay queued. */
type Found = Awaited<ReturnType<DeliverDeps['store']['deliveries']['getQueued']>>;

/** Requeues a delivery, like `requeue`. */
export const requeueFound = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  { delivery, until }: Found,
): Promise<Outcome> => {
  if (delivery === null) throw new Quarantine('the table has no such delivery');
  if (until !== null) return requeueAt(deps, { ...delivery, ...key }, Math.max(until, deps.now() + SOONEST_MS));
  // The task may have been retried because a process died, or because the result could not be reported to the rule hit.
  if (delivery.state === 'failed') await checkFailedRound(deps, { ...delivery, ...key });
  if (delivery.state === 'delivered') await reportAttempts(deps, delivery, delivery.sendTryTimes.slice(-1), true);
  return delivery.state;
};

/** Postpones an attempt at a delivery until the given time (ms). The current task was for that attempt. */
export const postpone = async (
  deps: DeliverDeps,
  key: DeliveryKey,
  { isAlarm }: Pick<Deliver, 'isAlarm'>,
  time: number,
): Promise<Outcome> => {
  const { store, now } = deps;
  const isSoon = fitsQueue(time, now());
  if (!(await store.attempts.postpone(key, time, now(), isSoon))) return requeue(deps, key);
  if (isSoon) await requeueTaskAt(deps, { ...deliverTask(key), ...(isAlarm && { isAlarm }) }, time);
  return 'postponed';
};
