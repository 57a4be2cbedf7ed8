import {
  failureActionOf,
  isSuccessToRecord,
  type LeaseName,
  openUntilAfter,
  slowUntil,
} from '#shared/domain/delivery/breaker.ts';
import { type Delivery, isFirstDelivery, type NextState } from '#shared/domain/delivery/delivery.ts';
import { isOnlyFailing, needsRelease } from '#shared/domain/delivery/early.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { timeOfUlid } from '#shared/domain/ids.ts';
import type { AdmittedRequest } from './circuit.ts';
import type { DeliverDeps } from './deps.ts';

/**
 * Records a pending delivery that is older than all known ones, so the release finds it. Rarely needed, because usually
 * the oldest delivery fails first.
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

/** An attempt that sent a request, and the resulting state. */
type Attempt = { delivery: Delivery; durationMs: number; isGone: boolean; next: NextState };

/**
 * Records a failure on the webhook. This may open the circuit. After days of failures, first warns, then disables the
 * webhook.
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
  const after = await slot.withUnneeded((leases) => store.health.failed(webhook, now(), failure, leases));
  if (after) await notePending(deps, after, delivery.id);
  const current = after ?? (await store.webhooks.get(customerId, webhookId));
  if (next.state === 'retrying' && current) {
    // Loaded with the first failure.
    const { attemptAgain } = await import('./early.ts');
    await attemptAgain(deps, current, delivery, next);
  }
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
 * Records the first success after failures, and releases pending deliveries. The task is enqueued first, so a crash
 * cannot skip the release. The task waits until the success is recorded. If another success came first, it has already
 * recorded everything.
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

/** Records on the webhook whether the receiver is healthy. Writes a success only if something changes. */
export const recordHealth = async (deps: DeliverDeps, admitted: AdmittedRequest, attempt: Attempt): Promise<void> => {
  if (attempt.next.state !== 'delivered') return recordFailure(deps, admitted, attempt);
  const { store, now } = deps;
  const { webhook, slot } = admitted;
  const slow = slowUntil(attempt.durationMs, now());
  await slot.withUnneeded(async (leases) => {
    if (needsRelease(webhook, now())) return recordBack(deps, webhook, attempt.delivery, { slow, leases });
    if (leases.length > 0 || slow !== null || isSuccessToRecord(webhook, now()))
      await store.health.recordSuccess(webhook, now(), slow, leases);
  });
};
