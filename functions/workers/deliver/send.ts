import { decryptWebhook } from '#shared/api/decrypt-webhook.ts';
import { getLinkKey } from '#shared/api/link-key.ts';
import { messageUuidInBody, payloadOf } from '#shared/delivery/message.ts';
import { sendByHttp } from '#shared/delivery/targets/http.ts';
import { type AttemptResult, resultWithoutRequest } from '#shared/domain/delivery/attempt.ts';
import { type AttemptOutcome, type Delivery, plainFailure } from '#shared/domain/delivery/delivery.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { DeliverDeps } from './deps.ts';

/** The keys that sign a request: the webhook with decrypted secrets, and the acknowledgement link key. */
type Secrets = { webhook: WebhookWithUrl; addressKey: string | null };

/** The attempt result. `unsent`: no request was made, so nothing is known about the receiver. */
export type Answer = { kind: 'sent' | 'unsent'; result: AttemptResult; outcome: AttemptOutcome };

export const decryptSecrets = async (deps: DeliverDeps, webhook: WebhookWithUrl): Promise<Secrets> => {
  const [decrypted, addressKey] = await Promise.all([decryptWebhook(deps, webhook), getLinkKey(deps)]);
  return { webhook: decrypted, addressKey };
};

/** Finds the message needed for a delivery body. `raw` is null if none is needed. A lost message fires an alarm. */
export const findMessage = async (
  { store, log, measure }: DeliverDeps,
  delivery: Delivery,
): Promise<{ kind: 'found'; raw: string | null } | { kind: 'lost' }> => {
  const { id, webhookId, customerId, snapshot } = delivery;
  const source = messageUuidInBody(delivery);
  if (source === null) return { kind: 'found', raw: null };
  const raw = await store.events.bytes(customerId, snapshot.sensor.id, source);
  if (raw !== null) return { kind: 'found', raw };
  log('error', 'a delivery has lost its message', { customerId, webhookId, deliveryId: id, message: source });
  measure('TasksFailed', 1, { worker: 'deliver', kind: 'missing' });
  return { kind: 'lost' };
};

/**
 * Renders a leased delivery and posts it to the webhook. Never throws because of the receiver. If the message needed
 * for the body is lost, nothing is sent, and the attempt fails and is retried.
 */
export const send = async (
  deps: DeliverDeps,
  delivery: Delivery,
  { webhook, addressKey }: Secrets,
): Promise<Answer> => {
  // The snapshot holds everything else.
  const message = await findMessage(deps, delivery);
  // This is a bug in the service, never the receiver's fault.
  if (message.kind === 'lost')
    return { kind: 'unsent', result: resultWithoutRequest('message_missing'), outcome: plainFailure };
  const payload = payloadOf(delivery, webhook, { raw: message.raw, addressKey });
  return { kind: 'sent', ...(await sendByHttp(deps.webhookClient, webhook, payload, deps)) };
};
