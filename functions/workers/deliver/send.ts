import { payloadOf, sourceOf } from '#shared/delivery/message.ts';
import { sendByHttp } from '#shared/delivery/targets/http.ts';
import type { Result } from '#shared/domain/delivery/attempt.ts';
import type { AttemptOutcome, Delivery } from '#shared/domain/delivery/delivery.ts';
import type { PostedWebhook } from '#shared/domain/delivery/feed.ts';
import type { DeliverDeps } from './deps.ts';

/** The error of an attempt whose message was not found: a bug of this service, never the receiver's fault. */
export const MISSING = 'message_missing';
const unsent: { result: Result; outcome: AttemptOutcome } = {
  result: {
    status: null,
    error: MISSING,
    responseBody: '',
    durationMs: 0,
    timings: { dns: null, connect: null, tls: null, firstByte: null },
  },
  outcome: { what: 'failed', isOverloaded: false, retryAfterSeconds: 0 },
};

/** The message that the body of a delivery needs; null: it needs none. Undefined: it is lost, which rings an alarm. */
export const messageFor = async (
  { store, log, measure }: DeliverDeps,
  delivery: Delivery,
): Promise<string | null | undefined> => {
  const { id, webhookId, customerId, snapshot } = delivery;
  const source = sourceOf(delivery);
  if (source === null) return null;
  const found = await store.events.bytes(customerId, snapshot.sensor.id, source);
  if (found !== null) return found;
  log('error', 'a delivery has lost its message', { customerId, webhookId, deliveryId: id, message: source });
  measure('TasksFailed', 1, { worker: 'deliver', kind: 'missing' });
  return undefined;
};

/**
 * Renders a claimed delivery and sends it to its target. Never throws because of the receiver: returns the result. When the
 * message that the body needs is missing, nothing is sent; that is a failed attempt, repeated by the retry schedule.
 */
export const send = async (
  deps: DeliverDeps,
  delivery: Delivery,
  webhook: PostedWebhook,
  addressKey: string | null,
): Promise<{ result: Result; outcome: AttemptOutcome }> => {
  // The snapshot holds everything else.
  const raw = await messageFor(deps, delivery);
  if (raw === undefined) return unsent;
  const payload = payloadOf(delivery, webhook, { raw, addressKey });
  return sendByHttp(deps.webhookClient, webhook, payload, deps);
};
