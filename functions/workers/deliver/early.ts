import { type Delivery, type NextState, RELEASE_INTERVAL } from '#shared/domain/delivery/delivery.ts';
import { earlyTime, isEarlyAttempt, isFailingAgain } from '#shared/domain/delivery/early.ts';
import { isResting } from '#shared/domain/delivery/states.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import type { DeliverDeps } from './deps.ts';
import { delayBefore, fitsQueue, type Outcome, requeueFound } from './schedule.ts';

/** An early attempt at a delivery: its task, and when (ms) it is due. */
type EarlyAttempt = { task: Deliver; time: number };

/**
 * Returns the early attempt at a pending delivery, if its turn is at `turn` (ms); null if there is none. Its task is
 * additional and may be dropped: the task for the planned attempt stays in its queue or in the index `due`.
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

/** Enqueues early attempts. Queues count in seconds, so tasks of the same second are sent together. */
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
 * Plans another early attempt after one that failed although the receiver is back. The failed attempt was early itself,
 * or it began before the release, which therefore could not find the delivery.
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
 * Decides what becomes of a task whose delivery may have been attempted early since the task was enqueued, or whose own
 * attempt is early. Null if the delivery should be attempted now. A read is cheaper than a claim that fails.
 */
export const checkEarly = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  { backDate, ...webhook }: WebhookRecord,
  { notBefore, early }: Deliver,
): Promise<Outcome | null> => {
  const found = await deps.store.deliveries.getQueued(key);
  const { delivery } = found;
  // Another task made the last attempt, so this one has nothing left to report.
  if (delivery && isResting(delivery.state) && (delivery.sendTryTimes.at(-1) ?? 0) < notBefore) return delivery.state;
  const isUnsent = delivery?.state === 'pending' || delivery?.state === 'retrying';
  const planned = delivery?.nextAttempt ?? 0;
  if (isUnsent && planned <= deps.now()) return null;
  // The process of the last attempt died, and its lease has ended.
  if (delivery?.state === 'sending' && found.until !== null && found.until <= deps.now()) return null;
  // This may be the last task of a delivery that another attempt has changed.
  if (!isUnsent || !early || planned !== early.insteadOf) return requeueFound(deps, key, found);
  return early.back !== backDate || isFailingAgain(webhook) ? 'postponed' : null;
};
