import { hasUrl, type WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { MAX_DELAY_SECONDS } from '#shared/queue/encode.ts';
import type { Deliver, ReleaseHeld } from '#shared/queue/task.ts';
import type { DeliveryKey, WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { consume } from '#shared/worker/consume.ts';
import { RetryLater } from '#shared/worker/failure.ts';
import { inSlot, passCircuit, REQUEST_MS } from './circuit.ts';
import { deliver as contract } from './contract.ts';
import type { DeliverDeps } from './deps.ts';
import { notePending } from './health.ts';
import { lease } from './lease.ts';
import { record } from './record.ts';
import { delayBefore, type Outcome, postpone, requeue, requeueAsRetry, requeueTaskAt } from './schedule.ts';
import { decryptSecrets, send } from './send.ts';

export const handler = consume(contract, async ([received], deps, timeLeft) => {
  if (!received) return;
  if (timeLeft() < REQUEST_MS) throw new RetryLater('no time left for another attempt');
  const { task } = received;
  // Rarely needed code is loaded by the first task that needs it, not at every start.
  switch (task.type) {
    case 'deliver':
      await deliver(deps, task, timeLeft);
      return;
    case 'release_held':
      return release(deps, task, timeLeft);
    case 'alert_managers': {
      const { alertManagers } = await import('./alert-managers.ts');
      return alertManagers(deps, task.customerId);
    }
    case 'step_replay': {
      const { stepReplay } = await import('./replay.ts');
      return stepReplay(deps, task, timeLeft);
    }
  }
});

/** Attempts a delivery once, or returns what happens to it without an attempt. */
export const deliver = async (deps: DeliverDeps, task: Deliver, timeLeft: () => number): Promise<Outcome> => {
  const key = deliveryKey(task);
  const timing = await waitUntilDue(deps, task);
  if (timing === 'early') return requeueTaskAt(deps, task, task.notBefore);
  if (timing === 'set_back') {
    // Loaded on demand, because clocks are rarely set back.
    const { correctAttempt } = await import('./set-back.ts');
    const corrected = await correctAttempt(deps, key, task);
    if (corrected !== null) return corrected;
  }
  if (!isToWebhook(key)) {
    // Loaded with the first delivery to a person, because many stages only call webhooks.
    const { notifyPerson } = await import('./person.ts');
    return notifyPerson(deps, key, task);
  }

  const target = await findWebhook(deps, key);
  if (target.kind === 'deleted') return endAsDeleted(deps, key);
  if (target.kind === 'fetched') {
    const { enterFeed } = await import('./feed.ts');
    return enterFeed(deps, key, target.webhook);
  }
  if (target.kind === 'disabled') {
    const { hold } = await import('./hold.ts');
    return hold(deps, key, target.webhook);
  }

  if (isAfterRelease(task, target.webhook)) {
    // Loaded the first time a receiver is back.
    const { checkEarly } = await import('./early.ts');
    const decided = await checkEarly(deps, key, target.webhook, task);
    if (decided !== null) return decided;
  }
  const start = await firstAttempt(deps, key, target.webhook);
  if (start.kind === 'postponed') return postpone(deps, key, task, start.until);

  const admission = await passCircuit(deps, key, target.webhook, { task, timeLeft });
  if (admission.kind === 'requeued') return requeueAsRetry(deps, task);
  if (admission.kind === 'postponed') {
    // The planned attempt stays unchanged.
    if (task.early) return requeueTaskAt(deps, task, admission.until);
    await notePending(deps, target.webhook, key.id);
    return postpone(deps, key, task, admission.until);
  }

  return inSlot(deps, admission, async () => {
    // Done before the lease, because an attempt that cannot be signed must not be counted.
    const secrets = await decryptSecrets(deps, admission.webhook);
    const leased = await lease(deps, key, task.early?.insteadOf);
    if (leased.kind !== 'leased') return leased.kind;
    const answer = await send(deps, leased.delivery, secrets);
    admission.slot.release();
    deps.failpoint('deliver.sent');
    return record(deps, admission, leased.delivery, answer);
  });
};

const deliveryKey = ({ customerId, webhookId, deliveryId, requestId }: Deliver): DeliveryKey => ({
  customerId,
  webhookId,
  id: deliveryId,
  ...(requestId !== undefined && { requestId }),
});
const isToWebhook = (key: DeliveryKey): key is WebhookDeliveryKey => key.webhookId !== null;

/**
 * Waits if the attempt is due within a second. Returns `early` for a later attempt, or `set_back` if the clock was set
 * back since the attempt was planned. Queues do not use that clock, so other tasks rarely arrive early.
 */
const waitUntilDue = async (
  { now, pause }: DeliverDeps,
  { notBefore, setBack }: Deliver,
): Promise<'due' | 'early' | 'set_back'> => {
  if (setBack !== undefined || isFuture(notBefore, now())) return 'set_back';
  if (notBefore - now() > 1_000) return 'early';
  // The number of pauses is limited, in case the clock is set back in the meantime.
  for (let pauses = 0; pauses < 3 && notBefore > now(); pauses++) await pause(Math.min(notBefore - now(), 1_000));
  return 'due';
};

/** The delivery target. `fetched`: the webhook has no URL, and deliveries are fetched from the feed. */
type Target =
  | { kind: 'deleted' }
  | { kind: 'fetched'; webhook: WebhookRecord }
  | { kind: 'disabled'; webhook: WebhookRecord }
  | { kind: 'posted'; webhook: WebhookWithUrl };

const findWebhook = async ({ store }: DeliverDeps, { customerId, webhookId }: WebhookDeliveryKey): Promise<Target> => {
  const webhook = await store.webhooks.get(customerId, webhookId);
  if (!webhook) return { kind: 'deleted' };
  if (!hasUrl(webhook)) return { kind: 'fetched', webhook };
  return webhook.isEnabled ? { kind: 'posted', webhook } : { kind: 'disabled', webhook };
};

/** Ends a delivery to a deleted webhook. */
const endAsDeleted = async (deps: DeliverDeps, key: WebhookDeliveryKey): Promise<Outcome> => {
  await deps.store.deliveries.end(key, 'deleted', deps.now());
  return requeue(deps, key);
};

/**
 * Whether a delivery may have been attempted early, because the receiver has come back since the delivery was
 * postponed. Also true if this attempt is itself early.
 */
const isAfterRelease = ({ notBefore, early }: Deliver, { backDate }: WebhookRecord): boolean =>
  early !== undefined || (notBefore > 0 && backDate !== undefined && backDate > notBefore - MAX_DELAY_SECONDS * 1_000);

/** Whether the first attempt is due, or the time (ms) until which the retry schedule delays it. */
const firstAttempt = async (
  deps: DeliverDeps,
  { customerId, webhookId, id }: WebhookDeliveryKey,
  webhook: WebhookRecord,
): Promise<{ kind: 'due' } | { kind: 'postponed'; until: number }> => {
  const delaySeconds = delayBefore(deps, webhook, 0);
  if (delaySeconds === 0) return { kind: 'due' };
  const delivery = await deps.store.deliveries.get(customerId, webhookId, id);
  const until = (delivery?.createDate ?? 0) + delaySeconds * 1_000;
  // If this time is further away than the delay, the delivery was created before the clock was set back.
  const isDue = until <= deps.now() || isFuture(until, deps.now() + delaySeconds * 1_000);
  return !delivery || delivery.attempts > 0 || isDue ? { kind: 'due' } : { kind: 'postponed', until };
};

/** Releases everything held or pending for an enabled webhook, and checks the feed. */
export const release = async (deps: DeliverDeps, task: ReleaseHeld, timeLeft: () => number): Promise<void> => {
  const webhook = await deps.store.webhooks.get(task.customerId, task.webhookId);
  if (webhook && task.setBack !== undefined) await deps.store.held.correctDue(webhook, deps.now());
  if (!webhook?.isEnabled) return;
  if (task.back) {
    const { releasePending } = await import('./release.ts');
    return releasePending(deps, webhook, { ...task, back: task.back }, timeLeft);
  }
  const [{ checkFeed }, { releaseHeld }] = await Promise.all([import('./feed.ts'), import('./hold.ts')]);
  const feed = await checkFeed(deps, webhook, timeLeft);
  if ((webhook.held ?? 0) > 0) await releaseHeld(deps, webhook, timeLeft);
  else if (feed === 'empty') await deps.store.held.removeFromDue(webhook);
};
