import type { Call } from '#shared/api/operation.ts';
import { isPushPoint } from '#shared/auth/push-keys.ts';
import type { KeptChannel } from '#shared/domain/people/channel.ts';
import { isAddress } from '#shared/domain/people/channel-address.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { channels } from './contract.ts';

type Operation = (typeof channels)['operations']['setChannel'];
export type SetCall = Call<Operation>;
export type SetDeps = Deps<Operation['uses'][number]>;

/** The push that a body asks for: its address is one that may be called, and its keys are those of a browser. */
const pushIn = async ({ body, refuse }: SetCall, { webhookClient, now }: SetDeps): Promise<KeptChannel> => {
  const { subscription } = body;
  if (!subscription) return refuse('subscription', 'required');
  const target = await webhookClient.check(subscription.endpoint);
  if (!target.ok) return refuse('subscription.endpoint', target.reason === 'url_address' ? 'url_address' : 'url');
  if (!isPushPoint(subscription.keys.p256dh)) return refuse('subscription.keys.p256dh', 'invalid');
  // Only the browser of this device could make the subscription, and it asked its user.
  return { by: 'push', address: target.url.host, subscription, provenDate: now() };
};

/** The channel that a call asks for, checked. One that needs a code is not proven. */
export const channelIn = async (call: SetCall, deps: SetDeps): Promise<KeptChannel> => {
  const { params, body, refuse } = call;
  const { by } = params;
  if (by === 'push') return pushIn(call, deps);
  const { address } = body;
  if (address === undefined) return refuse('address', 'required');
  if (!isAddress(by, address)) return refuse('address', 'invalid');
  return { by, address, provenDate: null };
};
