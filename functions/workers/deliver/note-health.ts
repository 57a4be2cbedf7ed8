import type { Result } from '#shared/domain/delivery/attempt.ts';
import { isSuccessToRecord, openUntilAfter, slowUntil, verdictOn } from '#shared/domain/delivery/breaker.ts';
import type { Delivery, Next } from '#shared/domain/delivery/delivery.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { DeliverDeps } from './deps.ts';
import type { RequestSlot } from './slots.ts';
import { isFirst, switchOff } from './tell-managers.ts';

/** A delivery with the result of its attempt, and what follows. */
type Attempted = { delivery: Delivery; result: Result; isGone: boolean; next: Next };

/** Records success or failure at the webhook, and warns or switches it off after days of failures. */
export const noteHealth = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  { surplus }: RequestSlot,
  { delivery, result: { durationMs }, isGone, next }: Attempted,
): Promise<void> => {
  const { store, now, log, measure } = deps;
  const { customerId, id: webhookId } = webhook;
  if (next.state === 'delivered') {
    const slow = slowUntil(durationMs, now());
    const holds = surplus();
    if (holds.length > 0 || slow !== null || isSuccessToRecord(webhook, now()))
      await store.health.worked(webhook, now(), slow, holds);
    return;
  }
  const wait = next.state === 'retrying' ? next.nextAttempt - now() : 0;
  const openUntil = openUntilAfter(webhook.consecutiveFailures + 1, wait, now());
  if (openUntil !== null && webhook.openUntil === undefined) measure('BreakersOpened');
  const isLost = next.state === 'failed' && isFirst(delivery);
  const after = await store.health.failed(webhook, now(), { openUntil, isGone, isLost }, surplus());
  if (next.state === 'failed' && next.reason === 'gone') return;
  const verdict = after && verdictOn(after, now());
  if (verdict === 'disable') {
    log('warn', 'a webhook was switched off: it has failed for days', { customerId, webhookId });
    return switchOff(deps, webhook, delivery, 'failing');
  }
  if (after && verdict === 'warn' && (await store.health.warn(after, now())))
    log('warn', 'a webhook will be switched off if it goes on failing', { customerId, webhookId });
};
