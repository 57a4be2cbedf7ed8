import webPush from 'web-push';
import type { PushSubscription } from '#shared/domain/people/channel.ts';
import type { WebhookClient } from '../webhook-client.ts';
import type { PersonOutcome } from './person.ts';

/** How long (s) a push service keeps a message for a device that is off: as long as the five attempts take. */
const TTL_SECONDS = 600;
const goneStatuses: readonly (number | null)[] = [404, 410];

/** The keys of a stage in base64url. `subject` is the contact for operators of push services. */
type PushSigner = { publicKey: string; privateKey: string; subject: string };

const requestOf = (subscription: PushSubscription, payload: string, vapidDetails: PushSigner) => {
  const options = { vapidDetails, TTL: TTL_SECONDS, urgency: 'high' as const };
  try {
    return webPush.generateRequestDetails(subscription, payload, options);
  } catch {
    // Keys of subscriptions are checked when they are saved (shared/auth/push-keys.ts), so the fault is the stage's key
    // or contact.
    return null;
  }
};

/**
 * Sends a push message to a browser, encrypted for it (RFC 8291). Its URL came from a user, so it is checked like a
 * webhook.
 */
export const pushTo = async (
  client: Pick<WebhookClient, 'post'>,
  subscription: PushSubscription,
  payload: string,
  signer: PushSigner,
): Promise<PersonOutcome> => {
  const request = requestOf(subscription, payload, signer);
  if (!request) return { retry: 'unsigned' };
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const { status, error } = await client.post({ url: subscription.endpoint, headers, body: request.body });
  if (status !== null && status >= 200 && status < 300) return 'accepted';
  if (goneStatuses.includes(status) || error === 'url_denied' || error === 'address_denied') return 'gone';
  return { retry: error ?? `status_${status}` };
};
