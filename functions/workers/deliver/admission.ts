import type { Permit } from '#shared/concurrency/semaphore.ts';
import type { SlotPool, Waiter } from '#shared/delivery/webhook-client.ts';
import { isNewAlarm, passageOf } from '#shared/domain/delivery/breaker.ts';
import { RETRY_DELAYS, varied } from '#shared/domain/delivery/delivery.ts';
import { isPosted, type PostedWebhook } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { WebhookDeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { chanceOf, type DeliverDeps, scheduleOf } from './deps.ts';
import { acquireSlot, type RequestSlot, TIME_FOR_ONE } from './slots.ts';

/** How long a delivery waits for its permit, and then for a slot, before it makes room for others. */
export const ACQUIRE_TIMEOUT_MS = 5_000;
/** How often (ms) a delivery that waits checks whether another process has freed a slot. */
export const LOOK_MS = 500;

/** The seconds of a schedule's step, the first attempt's being 0; of a schedule without it, those of the retry schedule. */
export const stepOf = (deps: DeliverDeps, webhook: WebhookRecord, step: number): number =>
  (scheduleOf(deps, webhook) ?? RETRY_DELAYS)[step] ?? RETRY_DELAYS[step] ?? 0;

/** When (ms) a delivery that made room for others is tried again: after one to two LOOK_MS. */
export const soon = (deps: DeliverDeps): number => deps.now() + Math.round((1 + chanceOf(deps)) * LOOK_MS);

/** Is the delivery an alarm that was never sent, rather than a repetition? */
const isAlarm = async (
  deps: DeliverDeps,
  { customerId, webhookId, id }: WebhookDeliveryKey,
  webhook: WebhookRecord,
) => {
  const found = await deps.store.deliveries.get(customerId, webhookId, id);
  if (!found || found.replay !== undefined) return false;
  return isNewAlarm(found.attempts, found.createDate + stepOf(deps, webhook, 0) * 1_000, deps.now());
};

/**
 * What becomes of a delivery that has a permit of this process: a slot for its request, with the webhook as read then;
 * a later time (ms); or `changed`, when its webhook was deleted or switched off meanwhile.
 */
export type Admitted = { webhook: PostedWebhook; slot: RequestSlot };
type Admission = Admitted | { until: number } | 'changed';

const isSameProbe = (a: WebhookRecord, b: WebhookRecord): boolean =>
  a.probeUntil === b.probeUntil && a.probeUntilToken === b.probeUntilToken;

/** Waits for a slot, for as long as waiting in this process is better than waiting on the queue. */
export const admit = async (
  deps: DeliverDeps,
  key: WebhookDeliveryKey,
  given: WebhookRecord | null,
  { permit, timeLeft }: { permit: Permit<SlotPool>; timeLeft: () => number },
): Promise<Admission> => {
  const { store, now, pause } = deps;
  const end = now() + ACQUIRE_TIMEOUT_MS;
  const seeker: Waiter = { wake: () => {}, waitsFor: 'slot' };
  let probe: WebhookRecord | undefined;
  let alarm: boolean | undefined;
  permit.shared.waiters.add(seeker);
  try {
    for (let webhook = given; webhook?.isEnabled; webhook = await store.webhooks.get(key.customerId, key.webhookId)) {
      if (!isPosted(webhook)) break;
      const isOpen = webhook.openUntil !== undefined;
      if (isOpen) alarm ??= await isAlarm(deps, key, webhook);
      // The probe that this delivery waited for has failed: a success would have closed the circuit.
      if (isOpen && probe !== undefined && !isSameProbe(webhook, probe))
        return { until: now() + Math.round(varied(stepOf(deps, webhook, 1), chanceOf(deps)) * 1_000) };
      const passage = passageOf(webhook, alarm === true, now(), chanceOf(deps));
      if (passage.kind === 'postponed') return passage;
      if (timeLeft() < TIME_FOR_ONE || now() > end) return { until: soon(deps) };
      if (passage.kind === 'probe_result') probe ??= webhook;
      seeker.waitsFor = passage.kind === 'probe_result' ? 'probe_result' : 'slot';
      const slot = passage.kind === 'probe_result' ? null : await acquireSlot(deps, permit, webhook, passage.kind);
      if (slot) return { webhook, slot };
      await Promise.race([pause(LOOK_MS), new Promise<void>((wake) => Object.assign(seeker, { wake }))]);
    }
    return 'changed';
  } finally {
    permit.shared.waiters.delete(seeker);
  }
};
