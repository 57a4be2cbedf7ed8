import { addressKeyOf } from '#shared/api/address-key.ts';
import { unlocked } from '#shared/api/unlocked.ts';
import type { Result } from '#shared/domain/delivery/attempt.ts';
import { type AttemptOutcome, afterAttempt, type Delivery, type Next } from '#shared/domain/delivery/delivery.ts';
import type { PostedWebhook } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { acknowledgeHits } from './acknowledge.ts';
import { claim } from './claim.ts';
import { chanceOf, type DeliverDeps, scheduleOf } from './deps.ts';
import { measureAttempt } from './measure.ts';
import { noteHealth } from './note-health.ts';
import { record } from './record.ts';
import { MISSING, send } from './send.ts';
import type { RequestSlot } from './slots.ts';
import { switchOff, tellFailed } from './tell-managers.ts';

/** What the log tells of an attempt: nothing that a receiver said. */
export const toldOf = ({ id, attempts }: Delivery, { status, error, durationMs }: Result, { state }: Next) => ({
  deliveryId: id,
  attempt: attempts,
  status,
  reason: error,
  durationMs,
  state,
});

/** Has the webhook another URL by now? Then a 410 of the old URL says nothing about the new one. */
const hasOtherUrl = async ({ store }: DeliverDeps, { customerId, id, url }: WebhookRecord): Promise<boolean> => {
  const current = await store.webhooks.get(customerId, id);
  return current !== null && current.url !== url;
};

const failed: AttemptOutcome = { what: 'failed', isOverloaded: false, retryAfterSeconds: 0 };
/**
 * The outcome that counts. A 410 switches the webhook off only when nothing else was answered for a while, for a receiver
 * that is being deployed may say so for a moment; and only at the URL that the webhook still has.
 */
const effectOf = async (
  deps: DeliverDeps,
  webhook: WebhookRecord,
  outcome: AttemptOutcome,
): Promise<AttemptOutcome> => {
  if (outcome.what !== 'gone') return outcome;
  const { goneSince = deps.now() } = webhook;
  const isForGood = deps.now() - goneSince >= deps.settings.GONE_AFTER_SECONDS * 1_000;
  return isForGood && !(await hasOtherUrl(deps, webhook)) ? outcome : failed;
};

/** Makes one attempt in a slot, if the delivery can still be claimed. */
export const attempt = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  webhook: PostedWebhook,
  slot: RequestSlot,
): Promise<void> => {
  const { now } = deps;
  // The secrets come first: an attempt that cannot be signed must not be counted.
  const [open, addressKey] = await Promise.all([unlocked(deps, webhook), addressKeyOf(deps)]);
  const delivery = await claim(deps, key);
  if (!delivery) return;
  const { result, outcome } = await send(deps, delivery, open, addressKey);
  slot.release();
  deps.failpoint('deliver.sent');
  await acknowledgeHits(deps, delivery, outcome);
  const effective = await effectOf(deps, webhook, outcome);
  const next = afterAttempt(delivery.attempts, effective, scheduleOf(deps, webhook), {
    now: now(),
    random: chanceOf(deps),
  });
  // Before the delivery is recorded: its task comes again only as long as it has not ended.
  if (next.state === 'failed' && next.reason === 'gone') await switchOff(deps, webhook, delivery, 'gone');
  if (next.state === 'failed') await tellFailed(deps, webhook, delivery);
  const missed = await record(deps, delivery, result, next);
  measureAttempt(deps, delivery, webhook, next);
  deps.log('info', 'an attempt was made', toldOf(delivery, result, next));
  deps.failpoint('deliver.rescheduled');
  // When no request was made, nothing was learnt about the receiver's health.
  if (result.error !== MISSING)
    await noteHealth(deps, webhook, slot, { delivery, result, isGone: outcome.what === 'gone', next });
  if (missed) throw missed;
};
