import webPush from 'web-push';
import type { PushSubscription } from '#shared/domain/people/channel.ts';
import type { WebhookClient } from '../webhook-client.ts';
import { retryAfterSeconds } from './http.ts';
import type { PersonOutcome } from './person.ts';

/**
 * How long (s) a push service keeps a message for a device that is off. This matches the duration of the five attempts.
 */
const TTL_SECONDS = 600;
const goneStatuses: readonly (number | null)[] = [404, 410];
/** The maximum number of characters an attempt keeps from a push service response. */
const MAX_ANSWER_LENGTH = 200;

/** The stage keys in base64url. `subject` is the contact for push service operators. */
type PushSigner = { publicKey: string; privateKey: string; subject: string };

const requestOf = (subscription: PushSubscription, payload: string, vapidDetails: PushSigner) => {
  const options = { vapidDetails, TTL: TTL_SECONDS, urgency: 'high' as const };
  try {
    return webPush.generateRequestDetails(subscription, payload, options);
  } catch {
    // Subscription keys are checked when saved (shared/auth/push-keys.ts), so the stage key or contact is at fault.
    return null;
  }
};

/**
 * Sends a push message to a browser, encrypted for that browser (RFC 8291). The URL came from a user, so only https on
 * public addresses is called.
 */
export const pushTo = async (
  { client, now }: { client: Pick<WebhookClient, 'post'>; now: () => number },
  subscription: PushSubscription,
  payload: string,
  signer: PushSigner,
): Promise<PersonOutcome> => {
  const request = requestOf(subscription, payload, signer);
  if (!request) return { retry: 'unsigned' };
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const { endpoint: url } = subscription;
  const { status, error, responseBody, retryAfter } = await client.post({
    url,
    headers,
    body: request.body,
    isPublicOnly: true,
  });
  if (status !== null && status >= 200 && status < 300) return 'accepted';
  // The endpoint is a secret between the push service and the browser.
  const answer = [...responseBody.replaceAll(url, '')].slice(0, MAX_ANSWER_LENGTH).join('');
  if (goneStatuses.includes(status) || error === 'url_denied' || error === 'address_denied')
    return { refused: 'gone', answer };
  const afterSeconds = retryAfterSeconds(retryAfter, now());
  return { retry: error ?? `status_${status}`, answer, ...(afterSeconds > 0 && { afterSeconds }) };
};
