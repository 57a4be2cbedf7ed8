import type { Call } from '#shared/api/operation.ts';
import { isCurvePoint } from '#shared/auth/push-keys.ts';
import type { KeptChannel } from '#shared/domain/people/channel.ts';
import { isChannelAddress } from '#shared/domain/people/channel-address.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { channels } from './contract.ts';

type Operation = (typeof channels)['operations']['setChannel'];
export type SetCall = Call<Operation>;
export type SetDeps = Deps<Operation['uses'][number]>;

/** Returns the requested push channel, after checking that the endpoint may be called and the key is valid. */
const pushChannelIn = async ({ body, refuse }: SetCall, { webhookClient, now }: SetDeps): Promise<KeptChannel> => {
  const { subscription } = body;
  if (!subscription) return refuse('subscription', 'required');
  const target = await webhookClient.check(subscription.endpoint, { isPublicOnly: true });
  if (!target.ok) return refuse('subscription.endpoint', target.reason === 'url_address' ? 'url_address' : 'url');
  if (!isCurvePoint(subscription.keys.p256dh)) return refuse('subscription.keys.p256dh', 'invalid');
  // Browsers create subscriptions only with the user's consent, so this one counts as verified.
  return { by: 'push', address: target.url.host, subscription, provenDate: now() };
};

/** Returns the requested channel after checking it. A channel that needs a code is not verified yet. */
export const channelIn = async (call: SetCall, deps: SetDeps): Promise<KeptChannel> => {
  const { params, body, refuse } = call;
  const { by } = params;
  if (by === 'push') return pushChannelIn(call, deps);
  const { address } = body;
  if (address === undefined) return refuse('address', 'required');
  if (!isChannelAddress(by, address)) return refuse('address', 'invalid');
  return { by, address, provenDate: null };
};
