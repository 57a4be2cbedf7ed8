import { resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import { type Delivery, messageUuidOf } from '#shared/domain/delivery/delivery.ts';
import { addLogContext } from '#shared/observability/log.ts';
import type { DeliveryKey } from '#shared/store/deliveries/delivery-item.ts';
import { type DeliverDeps, leaseToken } from './deps.ts';
import { type Outcome, requeue } from './schedule.ts';

const CANCELED = 'canceled';

/** A delivery leased for one attempt, or the outcome if no attempt should be made. */
type Lease = { kind: 'leased'; delivery: Delivery } | { kind: Outcome };

/**
 * Whether the alarm behind an escalation step was acknowledged while the delivery was pending. Redeliveries are sent
 * anyway.
 */
const isAcknowledged = async (
  { store }: DeliverDeps,
  { customerId, hit, isStep, replayOf }: Delivery,
): Promise<boolean> => {
  if (!isStep || !hit || replayOf !== undefined) return false;
  return Boolean((await store.ruleHits.get(customerId, hit.id))?.acknowledgement);
};

/** Ends a leased delivery without an attempt. */
const cancel = async ({ store, now, log }: DeliverDeps, delivery: Delivery): Promise<Outcome> => {
  const { id: deliveryId, customerId, hit } = delivery;
  const next = { state: 'failed', reason: CANCELED } as const;
  await store.attempts.recordResult(delivery, { result: resultWithoutRequest(CANCELED), next }, now(), false);
  log('info', 'a delivery of an escalation step was canceled: its alarm was acknowledged', {
    customerId,
    deliveryId,
    hitId: hit?.id,
  });
  return 'failed';
};

/** Claims a delivery for one attempt. Null if it has ended, is not due, or is claimed by another task. */
const claim = async (deps: DeliverDeps, key: DeliveryKey, insteadOf?: number): Promise<Delivery | null> => {
  const { aloneSince } = deps;
  const claimed = await deps.store.attempts.claim(key, deps.now(), leaseToken(deps), { aloneSince, insteadOf });
  if (!claimed) return null;
  deps.failpoint('deliver.claimed');
  return { ...key, ...claimed };
};

/**
 * Leases another delivery for the message of this task. Null if no attempt should be made. The original task stays
 * queued until the delivery has ended.
 */
export const leaseOther = async (deps: DeliverDeps, key: DeliveryKey): Promise<Delivery | null> => {
  const delivery = await claim(deps, key);
  if (!delivery || !(await isAcknowledged(deps, delivery))) return delivery;
  await cancel(deps, delivery);
  return null;
};

/**
 * Leases a delivery for one attempt, which is counted before anything is sent. From then on, log lines name the
 * message. `insteadOf`: the time (ms) of the planned attempt this early attempt replaces.
 */
export const lease = async (deps: DeliverDeps, key: DeliveryKey, insteadOf?: number): Promise<Lease> => {
  const delivery = await claim(deps, key, insteadOf);
  if (!delivery) return { kind: await requeue(deps, key) };
  const { requestId, snapshot } = delivery;
  addLogContext({ uuid: messageUuidOf(snapshot), ...(requestId !== undefined && { requestId }) });
  if (await isAcknowledged(deps, delivery)) return { kind: await cancel(deps, delivery) };
  return { kind: 'leased', delivery };
};
