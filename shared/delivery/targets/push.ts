import webPush from 'web-push';
import type { PushSubscription } from '#shared/domain/people/channel.ts';
import type { WebhookClient } from '../webhook-client.ts';
import type { PersonOutcome } from './person.ts';

/** For how long (s) the service of a browser keeps a push for a device that is off: five tries take 10 minutes. */
const KEPT_SECONDS = 600;
const goneFor: readonly (number | null)[] = [404, 410];

/** The keys of a stage, as texts of base64url. `subject` is the address by which services of browsers reach its people. */
type PushSigner = { publicKey: string; privateKey: string; subject: string };

const requestOf = (subscription: PushSubscription, payload: string, vapidDetails: PushSigner) => {
  const options = { vapidDetails, TTL: KEPT_SECONDS, urgency: 'high' as const };
  try {
    return webPush.generateRequestDetails(subscription, payload, options);
  } catch {
    // Keys of subscriptions are judged when they are saved (shared/auth/push-keys.ts): it is our key or our address.
    return null;
  }
};

/** Pushes to a browser, encrypted for it (RFC 8291). The address is one that a user gave: it is checked as webhooks are. */
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
  if (goneFor.includes(status) || error === 'url_denied' || error === 'address_denied') return 'gone';
  return { retry: error ?? `status_${status}` };
};
