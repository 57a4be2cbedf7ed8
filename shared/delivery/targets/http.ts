import type { AttemptResult } from '#shared/domain/delivery/attempt.ts';
import type { AttemptOutcome } from '#shared/domain/delivery/delivery.ts';
import type { WebhookWithUrl } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { authHeaders, signatureHeaders } from '../sign.ts';
import type { WebhookClient } from '../webhook-client.ts';

/**
 * What is sent: the body and its type, the id by which receivers recognize the message, and the id of this delivery.
 */
export type Payload = { body: string; mediaType: string; messageId: string; deliveryId: string; isTest: boolean };
/** The service name, version and URL, which identify the sender. */
type Sender = { SERVICE_NAME: string; SERVICE_VERSION: string; PUBLIC_URL: string };

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const GONE = 410;

/** Returns the seconds requested in a Retry-After header, or 0 if it is malformed or in the past. `now` is in ms. */
export const retryAfterSeconds = (header: string | null, now: number): number => {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header);
  const at = /^[A-Z][a-z]{2}, \d/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(at) ? 0 : Math.max(0, Math.ceil((at - now) / 1_000));
};

type HttpAnswer = {
  status: number | null;
  retryAfter: string | null;
  acknowledgedBy?: string | null;
};

/** Returns the outcome of an attempt in terms that do not depend on HTTP. HTTP statuses are interpreted only here. */
export const attemptOutcome = ({ status, retryAfter, acknowledgedBy }: HttpAnswer, now: number): AttemptOutcome => {
  if (status !== null && isSuccess(status)) return { what: 'accepted', ...(acknowledgedBy && { acknowledgedBy }) };
  if (status === GONE) return { what: 'gone' };
  const mayDelay = status === 429 || status === 503;
  return { what: 'failed', retryAfterSeconds: mayDelay ? retryAfterSeconds(retryAfter, now) : 0 };
};

/** Returns the headers that are the same on every attempt. None of them is secret. */
export const stableHeaders = (
  { SERVICE_NAME, SERVICE_VERSION }: Pick<Sender, 'SERVICE_NAME' | 'SERVICE_VERSION'>,
  { mediaType, messageId, isTest }: Omit<Payload, 'body' | 'deliveryId'>,
): Record<string, string> => ({
  'Content-Type': `${mediaType}; charset=utf-8`,
  'User-Agent': `${SERVICE_NAME.replaceAll(/[^\w.-]/g, '-')}/${SERVICE_VERSION}`,
  ...(isTest && { 'X-Service-Cloud-Test': 'true' }),
  'webhook-id': messageId,
});

/** Returns all headers for a single attempt, including those that authenticate and sign it. */
export const requestHeaders = async (webhook: WebhookRecord, payload: Payload, sender: Sender, now: number) => {
  const { url, token, secretKey, previousSecret = null, previousUntil = 0, authMethod } = webhook;
  const { body, messageId, deliveryId } = payload;
  const nowSeconds = Math.floor(now / 1_000);
  const secrets = [secretKey, previousUntil > now ? previousSecret : null].filter((secret) => secret !== null);
  const auth = {
    method: authMethod,
    token,
    issuer: sender.PUBLIC_URL,
    webhookId: webhook.id,
    targetUrl: url,
    deliveryId,
    nowSeconds,
  };
  return {
    ...stableHeaders(sender, payload),
    ...(await authHeaders(auth)),
    ...signatureHeaders({ id: messageId, timestampSeconds: nowSeconds, body, secrets, primary: secretKey }),
  };
};

/** Signs a payload and posts it to a webhook with decrypted secrets. Never rejects because of the receiver. */
export const sendByHttp = async (
  client: Pick<WebhookClient, 'post'>,
  webhook: WebhookWithUrl,
  payload: Payload,
  { settings: sender, now }: { settings: Sender; now: () => number },
): Promise<{ result: AttemptResult; outcome: AttemptOutcome }> => {
  const headers = await requestHeaders(webhook, payload, sender, now());
  const { retryAfter, acknowledgedBy, ...result } = await client.post({
    url: webhook.url,
    isLoopbackDenied: webhook.isLoopbackDenied ?? false,
    headers,
    body: payload.body,
  });
  return { result, outcome: attemptOutcome({ ...result, retryAfter, acknowledgedBy }, now()) };
};
