import { serve } from '#shared/api/serve.ts';
import { pushKeysFrom } from '#shared/auth/push-keys.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import { codeHashInput, MAX_DUTY, PUSH_KEY_CONTEXT } from '#shared/domain/people/channel.ts';
import { channelView, channelViewForOthers } from '#shared/domain/people/channel-view.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import { channelIn } from './channel-input.ts';
import { channels } from './contract.ts';
import { sendCode } from './send-code.ts';

type UserCall = {
  caller: Caller;
  params: { userId: number };
  fail: (code: 'user_not_found') => never;
};
/** Returns the ids of the caller. Nobody, not even a system admin, can change channels of others. */
const ownIds = ({ caller, params, fail }: UserCall) => {
  if (params.userId !== caller.accountId) return fail('user_not_found');
  return { customerId: caller.customerId, userId: caller.accountId };
};

type DutyCall = Omit<UserCall, 'fail'> & { fail: (code: 'user_not_found' | 'customer_missing') => never };
/** Returns the ids of the caller, who must have a customer to be on duty. */
const dutyIds = (call: DutyCall) => {
  const { customerId, userId } = ownIds(call);
  return { customerId: customerId ?? call.fail('customer_missing'), userId };
};

export const handler = serve(channels, {
  getChannelKinds: async ({ fail }, { store: { pushKeys }, encryptSecret, random, channelKinds }) => {
    if ((await pushKeys.get()) === null) {
      const { publicKey, privateKey } = pushKeysFrom(random(32));
      await pushKeys.keep({ publicKey, sealed: await encryptSecret(privateKey, PUSH_KEY_CONTEXT) });
    }
    const key = (await pushKeys.get()) ?? fail('unavailable', { waitSeconds: 1 });
    return { kinds: [...channelKinds], pushKey: key.publicKey };
  },

  listChannels: async ({ caller, customerId, params: { userId }, fail }, { store }) => {
    const isSelf = userId === caller.accountId;
    if (!isSelf && !(await store.users.get(customerId, userId))) return fail('user_not_found');
    const channels = await store.channels.list({ customerId, userId });
    return channels.map(isSelf ? channelView : channelViewForOthers);
  },

  setChannel: async (call, deps) => {
    const { store, channelKinds } = deps;
    const { params, fail } = call;
    const ids = ownIds(call);
    if (!channelKinds.includes(params.by)) return fail('channel_unavailable');
    const { subscription, ...channel } = await channelIn(call, deps);
    if (subscription) {
      if (!(await store.channels.put(ids, { ...channel, subscription }, null))) return fail('user_not_found');
      return channelView(channel);
    }
    const known = (await store.channels.list(ids)).find(({ by }) => by === params.by);
    const isVerified = known?.address === channel.address && known.provenDate !== null;
    if (isVerified && known.undeliverableDate === undefined) return channelView(known);
    // An address that was undeliverable stays in use until its code is entered: the next alarm may arrive.
    const pending = isVerified ? known : channel;
    await sendCode(call, deps, pending);
    return channelView(pending);
  },

  proveChannel: async (call, { store, now }) => {
    const { params, body, refuse } = call;
    const ids = ownIds(call);
    const pending = (await store.channels.tryCode(ids, params.by, now())) ?? refuse('code', 'wrong_code');
    const hash = hashSecret(codeHashInput(ids.userId, pending, body.code));
    if (hash !== pending.codeHash) return refuse('code', 'wrong_code');
    const provenDate = now();
    if (!(await store.channels.verify(ids, params.by, hash, provenDate))) return refuse('code', 'wrong_code');
    return channelView({ by: pending.by, address: pending.address, provenDate });
  },

  deleteChannel: async (call, { store }) => {
    const { params, fail } = call;
    return (await store.channels.remove(ownIds(call), params.by)) ? { status: 'OK' } : fail('channel_not_found');
  },

  beginDuty: async (call, { store, now }) => {
    const { body, refuse, fail } = call;
    const { customerId, userId } = dutyIds(call);
    const { until } = body;
    if (until <= now()) return refuse('until', 'minimum', { limit: now() });
    if (until > now() + MAX_DUTY) return refuse('until', 'maximum', { limit: now() + MAX_DUTY });
    return (await store.duty.begin(customerId, { userId, until })) ? { until } : fail('user_not_found');
  },

  endDuty: async (call, { store }) => {
    const { customerId, userId } = dutyIds(call);
    await store.duty.end(customerId, userId);
    return { status: 'OK' };
  },

  listDuty: async ({ caller, customerId, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const onDuty = await store.duty.usersOnDuty(customerId, now());
    const named = onDuty.map(async ({ userId, until }) => {
      const user = await store.users.get(customerId, userId);
      return user ? [{ userId, name: nameOfUser(user), until }] : [];
    });
    return (await Promise.all(named)).flat();
  },
});
