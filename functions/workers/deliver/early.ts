import { type Delivery, type NextState, RELEASE_INTERVAL } from '#shared/domain/delivery/delivery.ts';
import { earlyTime, isEarlyAttempt, isFailingAgain } from '#shared/domain/delivery/early.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import type { DeliverDeps } from './deps.ts';
import { delayBefore, fitsQueue, type Outcome, requeueFound } from './schedule.ts';

/** An early attempt at a delivery: its task and due time (ms). */
type EarlyAttempt = { task: Deliver; time: number };

/**
 * Returns an early attempt at a pending delivery whose turn comes at `turn` (ms), or null if there is none. The task is
 * additional and may be dropped, because the task for the planned attempt stays in a queue or in the `due` index.
 */
export const earlyAttempt = (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  turn: number,
): EarlyAttempt | null => {
  const time = earlyTime(delivery, turn, delayBefore(deps, webhook, 0) * 1_000);
  if (time === null || !fitsQueue(time, deps.now())) return null;
  const { nextAttempt, requestId: _, ...key } = delivery;
  const early = { insteadOf: nextAttempt ?? 0, back: webhook.backDate ?? 0 };
  return { time, task: { ...deliverTask(key), isRetry: true, notBefore: Math.ceil(time), early } };
};

/** Enqueues early attempts. Queues count in seconds, so tasks due within the same second are sent together. */
export const enqueueEarly = async ({ now, enqueue }: DeliverDeps, attempts: readonly EarlyAttempt[]): Promise<void> => {
  const start = now();
  const bySecond = Map.groupBy(attempts, ({ time }) => Math.max(0, Math.floor((time - start) / 1_000)));
  for (const [delaySeconds, ofSecond] of bySecond)
    await enqueue(
      ofSecond.map(({ task }) => task),
      { delaySeconds },
    );
};

/**
 * Plans another early attempt after an attempt failed even though the receiver is back. The failed attempt was also
 * early, or it began before the release, which therefore could not find the delivery.
 */
export const attemptAgain = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  delivery: Delivery,
  next: Extract<NextState, { state: 'retrying' }>,
): Promise<void> => {
  const { backDate = 0 } = webhook;
  const beganBefore = backDate >= (delivery.sendTryTimes.at(-1) ?? 0);
  if (isFailingAgain(webhook) || !(beganBefore || isEarlyAttempt(delivery))) return;
  const attempt = earlyAttempt(deps, webhook, { ...delivery, ...next }, deps.now() + 10 * RELEASE_INTERVAL);
  if (attempt) await enqueueEarly(deps, [attempt]);
};

/**
 * Decides what to do with a task if its delivery may have been attempted early since the task was enqueued, or if its
 * own attempt is early. Null if the delivery should be attempted now. A read is cheaper than a failed claim.
 */
export const checkEarly = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  { backDate, ...webhook }: WebhookRecord,
  { notBefore, early }: Deliver,
): Promise<Outcome | null> => {
  const found = await deps.store.deliveries.getQueued(key);
  const { delivery } = found;
  // Another task made the last attempt, so there is nothing left to report.
  if (delivery && isResting(delivery.state) && (delivery.sendTryTimes.at(-1) ?? 0) < notBefore) return delivery.state;
  const isUnsent = delivery?.state === 'pending' || delivery?.state === 'retrying';
  const planned = delivery?.nextAttempt ?? 0;
  if (isUnsent && planned <= deps.now()) return null;
  // The process making the last attempt died, and the lease has ended.
  if (delivery?.state === 'sending' && found.until !== null && found.until <= deps.now()) return null;
  // This may be the last task for a delivery changed by another attempt.
  if (!isUnsent || !early || planned !== early.insteadOf) return requeueFound(deps, key, found);
  return early.back !== backDate || isFailingAgain(webhook) ? 'postponed' : null;
};
