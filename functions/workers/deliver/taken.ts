import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { DeliverDeps } from './deps.ts';

const CANCELED = 'canceled';
const timings = { dns: null, connect: null, tls: null, firstByte: null };

/**
 * Ends the delivery of a step whose alarm somebody has taken while it waited for an attempt (completion 12 "Escalation").
 * Whoever has it sent again wants it all the same. True when it was ended.
 */
export const endedIfTaken = async (deps: DeliverDeps, delivery: Delivery): Promise<boolean> => {
  const { store, now, log } = deps;
  const { id: deliveryId, customerId, hit, isStep, replayOf } = delivery;
  if (!isStep || !hit || replayOf !== undefined) return false;
  if (!(await store.ruleHits.get(customerId, hit.id))?.acknowledgement) return false;
  const result = { status: null, error: CANCELED, responseBody: '', durationMs: 0, timings };
  const next = { state: 'failed', reason: CANCELED } as const;
  await store.attempts.record(delivery, { result, next }, now(), false);
  log('info', 'a step is not told: its alarm was acknowledged', { customerId, deliveryId, hitId: hit.id });
  return true;
};
