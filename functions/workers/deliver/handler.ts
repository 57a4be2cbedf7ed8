import { isHealthy } from '#shared/domain/delivery/breaker.ts';
import { isPosted } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Deliver } from '#shared/queue/task.ts';
import type { DeliveryKey, WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { consume } from '#shared/worker/consume.ts';
import { ComeAgain } from '#shared/worker/failure.ts';
import { ACQUIRE_TIMEOUT_MS, type Admitted, admit, soon, stepOf } from './admission.ts';
import { attempt } from './attempt.ts';
import { comeAgain } from './claim.ts';
import { deliver } from './contract.ts';
import type { DeliverDeps } from './deps.ts';
import { enqueueAt, enqueueIfSoon, isSoon } from './enqueue.ts';
import { endIfExpired } from './expire.ts';
import { releaseHeld } from './release.ts';
import { stepReplay } from './replay.ts';
import { TIME_FOR_ONE } from './slots.ts';
import { tellPerson } from './tell-person.ts';
import { toFeed } from './to-feed.ts';

/** How long (ms) a process uses a webhook that it has read before it reads the webhook again. */
const STALE_MS = 1_000;

/** Puts a delivery off without an attempt. */
const putOff = async (deps: DeliverDeps, key: DeliveryKey, time: number): Promise<void> => {
  const { store, now } = deps;
  if (await store.attempts.postpone(key, time, now(), isSoon(time, now()))) await enqueueIfSoon(deps, key, time);
  else await comeAgain(deps, key);
};

/** When (ms) the first attempt is due, if the retry schedule delays it. Null when there is nothing to wait for. */
const waitsUntil = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: WebhookRecord,
): Promise<number | null> => {
  const firstSeconds = stepOf(deps, webhook, 0);
  if (firstSeconds === 0) return null;
  const delivery = await deps.store.deliveries.get(key.customerId, key.webhookId, key.id);
  const time = (delivery?.createDate ?? 0) + firstSeconds * 1_000;
  return !delivery || delivery.attempts > 0 || time <= deps.now() ? null : time;
};

/** Holds the deliveries of a webhook that is switched off, and ends those that were held for too long. */
const hold = async (deps: DeliverDeps, key: WebhookDeliveryKey, webhook: WebhookRecord): Promise<void> => {
  const { store, now } = deps;
  if (await store.held.hold(key, now())) return;
  const delivery = await store.deliveries.get(key.customerId, key.webhookId, key.id);
  if (delivery?.state !== 'held') return comeAgain(deps, key);
  return endIfExpired(deps, webhook, { ...delivery, ...key });
};

/** Makes an attempt in a slot. Slots that this process no longer needs are given back with the attempt's own write, or after it. */
const sendIn = async (deps: DeliverDeps, key: WebhookDeliveryKey, { webhook, slot }: Admitted): Promise<void> => {
  try {
    await attempt(deps, key, webhook, slot);
  } finally {
    slot.release();
  }
  const rest = slot.surplus();
  if (rest.length > 0) await deps.store.health.release(webhook, rest);
};

/** Makes an attempt once the semaphore, the circuit breaker and a slot of the webhook allow it. */
const tryNow = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: WebhookRecord,
  { task, timeLeft }: { task: Deliver; timeLeft: () => number },
): Promise<void> => {
  const { store, now, webhookClient, pause, enqueue } = deps;
  const start = now();
  const sendApart = () => enqueue([{ ...task, isRetry: true }]);
  if (!isHealthy(webhook, start) && !task.isRetry) return sendApart();
  const permit = await webhookClient.acquire(webhook.id, () => pause(ACQUIRE_TIMEOUT_MS));
  if (!permit) return task.isRetry ? putOff(deps, key, soon(deps)) : sendApart();
  try {
    const isStale = now() - start > STALE_MS;
    const current = isStale ? await store.webhooks.get(key.customerId, key.webhookId) : webhook;
    const admission = await admit(deps, key, current, { permit, timeLeft });
    if (admission === 'changed') return await sendApart();
    if ('until' in admission) return await putOff(deps, key, admission.until);
    await sendIn(deps, key, admission);
  } finally {
    permit.release();
  }
};

/** Waits for the rest of the second by which a queue was early. False when the wait is longer: then the task goes back. */
const isTime = async (deps: DeliverDeps, key: DeliveryKey, { notBefore }: Deliver): Promise<boolean> => {
  const { now, pause } = deps;
  if (notBefore - now() > 1_000) {
    await enqueueAt(deps, key, notBefore);
    return false;
  }
  // A clock that is set back meanwhile must not make this a long wait.
  for (let look = 0; look < 3 && notBefore > now(); look++) await pause(Math.min(notBefore - now(), 1_000));
  return true;
};

const toWebhook = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  task: Deliver,
  timeLeft: () => number,
): Promise<void> => {
  const { store, now } = deps;
  const { customerId, webhookId } = key;
  const webhook = await store.webhooks.get(customerId, webhookId);
  if (webhook && !isPosted(webhook)) return toFeed(deps, key, webhook);
  if (!webhook) return (await store.deliveries.end(key, 'deleted', now())) ? undefined : comeAgain(deps, key);
  if (!webhook.isEnabled) return hold(deps, key, webhook);
  const time = await waitsUntil(deps, key, webhook);
  return time === null ? tryNow(deps, key, webhook, { task, timeLeft }) : putOff(deps, key, time);
};

const deliverOne = async (deps: DeliverDeps, task: Deliver, timeLeft: () => number): Promise<void> => {
  const { customerId, webhookId, deliveryId, requestId } = task;
  const key = { customerId, id: deliveryId, ...(requestId !== undefined && { requestId }) };
  if (!(await isTime(deps, { ...key, webhookId }, task))) return;
  if (webhookId === null) return tellPerson(deps, { ...key, webhookId });
  return toWebhook(deps, { ...key, webhookId }, task, timeLeft);
};

export const handler = consume(deliver, async ([received], deps, timeLeft) => {
  if (!received) return;
  if (timeLeft() < TIME_FOR_ONE) throw new ComeAgain('no time left for another attempt');
  const { task } = received;
  if (task.type === 'deliver') return deliverOne(deps, task, timeLeft);
  const webhook = await deps.store.webhooks.get(task.customerId, task.webhookId);
  if (task.type === 'release_held') return webhook ? releaseHeld(deps, webhook, timeLeft) : undefined;
  const { customerId, webhookId, replayId } = task;
  if (!webhook) return deps.store.replays.close({ customerId, webhookId, id: replayId });
  return stepReplay(deps, webhook, replayId, timeLeft);
});
