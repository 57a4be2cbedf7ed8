import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool } from '#shared/delivery/webhook-client.ts';
import {
  failureActionOf,
  isHealthy,
  isNewAlarm,
  isSuccessToRecord,
  type LeaseName,
  openUntilAfter,
  type Passage,
  passageOf,
  slowUntil,
} from '#shared/domain/delivery/breaker.ts';
import { type Delivery, isFirstDelivery, type NextState, withJitter } from '#shared/domain/delivery/delivery.ts';
import { isOnlyFailing, needsRelease } from '#shared/domain/delivery/early.ts';
import { hasUrl, type WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, randomFraction } from './deps.ts';
import { attemptAgain } from './early.ts';
import { delayBefore } from './schedule.ts';
import {
  ACQUIRE_TIMEOUT_MS,
  type AdmittedRequest,
  acquirePermit,
  acquireSlot,
  createWaiter,
  REQUEST_MS,
} from './slots.ts';

/** How long (ms) a process uses a webhook before reading it again. */
const STALE_MS = 1_000;
/** How often (ms) a delivery that waits for a slot reads its webhook again: another process may have freed a slot. */
export const SLOT_POLL_MS = 500;

/** Returns when (ms) a delivery that gave way to others is attempted next. */
const nextTurn = (deps: DeliverDeps): number => deps.now() + Math.round((1 + randomFraction(deps)) * SLOT_POLL_MS);

/**
 * Whether a delivery may be sent: `admitted` now, with a slot; `postponed` until a time (ms); `requeued` to the queue
 * `retries`, for another run of its task.
 */
export type Admission =
  | ({ kind: 'admitted' } & AdmittedRequest)
  | { kind: 'postponed'; until: number }
  | { kind: 'requeued' };

/** Whether a delivery is an alarm that was never sent, rather than a retry or a redelivery. */
const isAlarm = async (
  deps: DeliverDeps,
  { customerId, webhookId, id }: WebhookDeliveryKey,
  webhook: WebhookRecord,
): Promise<boolean> => {
  const delivery = await deps.store.deliveries.get(customerId, webhookId, id);
  if (!delivery || delivery.replay !== undefined) return false;
  return isNewAlarm(delivery.attempts, delivery.createDate + delayBefore(deps, webhook, 0) * 1_000, deps.now());
};

/** Creates the circuit breaker for one delivery. It remembers the probe whose result the delivery waits for. */
const createBreaker = (deps: DeliverDeps, key: WebhookDeliveryKey) => {
  const { now } = deps;
  let probeUntil: number | undefined;
  let isNew: boolean | undefined;
  return async (webhook: WebhookRecord): Promise<Passage> => {
    if (webhook.openUntil === undefined) return passageOf(webhook, false, now(), randomFraction(deps));
    isNew ??= await isAlarm(deps, key, webhook);
    // The probe has failed: a success would have closed the circuit.
    if (probeUntil !== undefined && webhook.probeUntil !== probeUntil) {
      const delaySeconds = withJitter(delayBefore(deps, webhook, 1), randomFraction(deps));
      return { kind: 'postponed', until: now() + Math.round(delaySeconds * 1_000) };
    }
    const passage = passageOf(webhook, isNew, now(), randomFraction(deps));
    if (passage.kind === 'probe_result') probeUntil ??= webhook.probeUntil;
    return passage;
  };
};

/** Waits for a slot while that is better than waiting in the queue. */
const awaitSlot = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  found: WebhookRecord | null,
  { permit, timeLeft }: { permit: Permit<SlotPool>; timeLeft: () => number },
): Promise<Admission> => {
  const { store, now, pause } = deps;
  const end = now() + ACQUIRE_TIMEOUT_MS;
  const passageFor = createBreaker(deps, key);
  const waiter = createWaiter();
  permit.shared.waiters.add(waiter);
  try {
    let webhook = found;
    while (webhook?.isEnabled && hasUrl(webhook)) {
      const passage = await passageFor(webhook);
      if (passage.kind === 'postponed') return passage;
      if (timeLeft() < REQUEST_MS || now() > end) return { kind: 'postponed', until: nextTurn(deps) };
      waiter.waitsFor = passage.kind === 'probe_result' ? 'probe_result' : 'slot';
      const slot = passage.kind === 'probe_result' ? null : await acquireSlot(deps, permit, webhook, passage.kind);
      if (slot) return { kind: 'admitted', webhook, slot };
      await waiter.wait(pause(SLOT_POLL_MS));
      webhook = await store.webhooks.get(key.customerId, key.webhookId);
    }
    // The webhook was deleted or disabled, or has lost its URL.
    return { kind: 'requeued' };
  } finally {
    permit.shared.waiters.delete(waiter);
  }
};

/** Admits a delivery once it has a permit of this process and a slot of the webhook, and the circuit breaker allows it. */
export const passCircuit = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: WebhookWithUrl,
  { isRetry, timeLeft }: { isRetry: boolean; timeLeft: () => number },
): Promise<Admission> => {
  const { store, now } = deps;
  const start = now();
  if (!isRetry && !isHealthy(webhook, start)) return { kind: 'requeued' };
  const permit = await acquirePermit(deps, webhook);
  if (!permit) return isRetry ? { kind: 'postponed', until: nextTurn(deps) } : { kind: 'requeued' };
  let isAdmitted = false;
  try {
    const isStale = now() - start > STALE_MS;
    const current = isStale ? await store.webhooks.get(key.customerId, key.webhookId) : webhook;
    const admission = await awaitSlot(deps, key, current, { permit, timeLeft });
    isAdmitted = admission.kind === 'admitted';
    return admission;
  } finally {
    // The slot of an admitted delivery releases the permit.
    if (!isAdmitted) permit.release();
  }
};

/**
 * Records a pending delivery that is older than all known ones, so that the release finds it. That is rare: usually the
 * oldest one fails first.
 */
export const notePending = async (
  { store }: DeliverDeps,
  webhook: WebhookRecord,
  deliveryId: string,
): Promise<void> => {
  const { pendingSince } = webhook;
  const time = timeOfUlid(deliveryId);
  if (pendingSince !== undefined && time < pendingSince) await store.health.notePending(webhook, time);
};

/** An attempt that sent a request, and the state that follows. */
type Attempt = { delivery: Delivery; durationMs: number; isGone: boolean; next: NextState };

/**
 * Records a failure at the webhook. This may open the circuit; after days of failures it disables the webhook, or warns
 * first.
 */
const recordFailure = async (
  deps: DeliverDeps,
  { webhook, slot }: AdmittedRequest,
  { delivery, isGone, next }: Attempt,
): Promise<void> => {
  const { store, now, log, measure } = deps;
  const { customerId, id: webhookId } = webhook;
  const wait = next.state === 'retrying' ? next.nextAttempt - now() : 0;
  const openUntil = openUntilAfter(webhook.consecutiveFailures + 1, wait, now());
  if (openUntil !== null && webhook.openUntil === undefined) measure('BreakersOpened');
  const isLost = next.state === 'failed' && isFirstDelivery(delivery);
  const begun = next.state === 'retrying' ? (delivery.sendTryTimes.at(-1) ?? 0) : null;
  const failure = { openUntil, isGone, isLost, since: timeOfUlid(delivery.id), begun };
  const after = await store.health.failed(webhook, now(), failure, slot.unneeded());
  if (after) await notePending(deps, after, delivery.id);
  const current = after ?? (await store.webhooks.get(customerId, webhookId));
  if (next.state === 'retrying' && current) await attemptAgain(deps, current, delivery, next);
  if (!after || (next.state === 'failed' && next.reason === 'gone')) return;
  const verdict = failureActionOf(after, now());
  if (verdict === 'disable') {
    log('warn', 'a webhook was disabled after failing for days', { customerId, webhookId });
    const { disableWebhook } = await import('./disable-webhook.ts');
    await disableWebhook(deps, webhook, delivery, 'failing');
  }
  if (verdict === 'warn' && (await store.health.recordWarning(after, now())))
    log('warn', 'a webhook will be disabled if it keeps failing', { customerId, webhookId });
};

/**
 * Records the first success after failures, and releases what is pending. The task is enqueued first, so that a crash
 * cannot skip the release; it waits until the success is recorded. If another success came first, it has recorded
 * everything.
 */
const recordBack = async (
  deps: DeliverDeps,
  webhook: WebhookWithUrl,
  delivery: Delivery,
  { slow, leases }: { slow: number | null; leases: readonly LeaseName[] },
): Promise<void> => {
  const { store, now, enqueue } = deps;
  const { customerId, id: webhookId, consecutiveFailures: own } = webhook;
  const success = { now: now(), slowUntil: slow, leases };
  if (isOnlyFailing(webhook, delivery) && (await store.health.recordBack(webhook, success, own))) return;
  const back = { date: success.now, isRest: false, after: null, isListed: false };
  await enqueue([{ type: 'release_held', customerId, webhookId, back }], { delaySeconds: 1 });
  deps.failpoint('release.begun');
  await store.health.recordBack(webhook, success, null);
};

/** Records at the webhook whether its receiver is healthy. A success is written only if it changes something. */
export const recordHealth = async (deps: DeliverDeps, admitted: AdmittedRequest, attempt: Attempt): Promise<void> => {
  if (attempt.next.state !== 'delivered') return recordFailure(deps, admitted, attempt);
  const { store, now } = deps;
  const { webhook, slot } = admitted;
  const slow = slowUntil(attempt.durationMs, now());
  const leases = slot.unneeded();
  if (needsRelease(webhook, now())) return recordBack(deps, webhook, attempt.delivery, { slow, leases });
  if (leases.length > 0 || slow !== null || isSuccessToRecord(webhook, now()))
    await store.health.recordSuccess(webhook, now(), slow, leases);
};
