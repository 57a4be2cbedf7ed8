import { render } from '../../shared/delivery/formats/render.ts';
import { authHeaders, signatureHeaders } from '../../shared/delivery/sign.ts';
import type { Result } from '../../shared/domain/attempt.ts';
import type { Delivery, Outcome } from '../../shared/domain/delivery.ts';
import { serviceOf } from '../../shared/domain/snapshot.ts';
import type { WebhookRecord } from '../../shared/domain/webhook.ts';
import type { DeliverDeps } from './attempt.ts';

const headersOf = async (deps: DeliverDeps, delivery: Delivery, webhook: WebhookRecord, body: string) => {
  const { settings, now } = deps;
  const { url, token, secretKey, previousSecret = null, previousUntil = 0, authMethod } = webhook;
  const nowSeconds = Math.floor(now() / 1_000);
  const secrets = [secretKey, previousUntil > now() ? previousSecret : null].filter((one) => one !== null);
  const auth = {
    method: authMethod,
    token,
    issuer: settings.PUBLIC_URL,
    webhookId: webhook.id,
    targetUrl: url,
    deliveryId: delivery.id,
    nowSeconds,
  };
  const signing = { timestampSeconds: nowSeconds, body, secrets, primary: secretKey };
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': `${settings.SERVICE_NAME.replaceAll(/[^\w.-]/g, '-')}/${settings.SERVICE_VERSION}`,
    ...(delivery.isTest && { 'X-Service-Cloud-Test': 'true' }),
    ...(await authHeaders(auth)),
    // To the receiver a repetition is the same message.
    ...signatureHeaders({ id: delivery.replayOf ?? delivery.id, ...signing }),
  };
};

/** Who speaks in the body. Deliveries from before this was kept in them say what is so now. */
const speakersOf = ({ settings }: DeliverDeps, { snapshot }: Delivery, current: WebhookRecord) => {
  const { service = serviceOf(settings), webhook = current } = snapshot;
  return { service, webhook: { id: current.id, name: webhook.name, isCustomerHook: webhook.isCustomerHook ?? false } };
};

/** The word for an attempt that could not say what it was to say: a bug of ours, never the receiver's fault. */
export const MISSING = 'message_missing';
const unsent: Result & Outcome = {
  ...{ status: null, error: MISSING, retryAfter: null, responseBody: '', durationMs: 0 },
  timings: { dns: null, connect: null, tls: null, firstByte: null },
};

/**
 * Renders, signs and posts a claimed delivery; gives what came of it, whatever the receiver does. Without the message
 * that the body is to tell of nothing is sent: that counts as a failed attempt, and is tried again by the schedule.
 */
export const send = async (
  deps: DeliverDeps,
  delivery: Delivery,
  webhook: WebhookRecord,
): Promise<Result & Outcome> => {
  const { id, webhookId, customerId, snapshot, format = webhook.format, isTest = false } = delivery;
  const source = format === 'custom1' ? null : snapshot.event.source;
  // The snapshot holds everything else.
  const raw = source === null ? null : await deps.store.events.bytes(customerId, snapshot.sensor.id, source);
  if (source !== null && raw === null) {
    deps.log('error', 'a delivery has lost its message', { customerId, webhookId, deliveryId: id, message: source });
    return unsent;
  }
  const body = render(format, snapshot, { ...speakersOf(deps, delivery, webhook), isTest, raw });
  return deps.callee.post({ url: webhook.url, headers: await headersOf(deps, delivery, webhook, body), body });
};
