import { serve } from '#shared/api/serve.ts';
import { pushKeysOf } from '#shared/auth/push-keys.ts';
import { hashOf } from '#shared/auth/tokens.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import { codeText, LONGEST_DUTY, PUSH_KEY } from '#shared/domain/people/channel.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import { channels } from './contract.ts';
import { sendCode } from './send-code.ts';
import { channelIn } from './set-channel.ts';

type Own = {
  caller: Caller;
  params: { userId: number };
  fail: (code: 'user_not_found') => never;
};
/** Where the channels of the caller are. Nobody has to do with those of others, not even a system admin. */
const own = ({ caller, params, fail }: Own) => {
  if (params.userId !== caller.accountId) return fail('user_not_found');
  return { customerId: caller.customerId, userId: caller.accountId };
};

type InCustomer = Omit<Own, 'fail'> & { fail: (code: 'user_not_found' | 'customer_missing') => never };
const onDuty = (call: InCustomer) => {
  const { customerId, userId } = own(call);
  return { customerId: customerId ?? call.fail('customer_missing'), userId };
};

export const handler = serve(channels, {
  getChannelKinds: async ({ fail }, { store: { pushKeys }, sealSecret, random, channelKinds }) => {
    if ((await pushKeys.get()) === null) {
      const { publicKey, privateKey } = pushKeysOf(random(32));
      await pushKeys.keep({ publicKey, sealed: await sealSecret(privateKey, PUSH_KEY) });
    }
    const key = (await pushKeys.get()) ?? fail('unavailable', { waitSeconds: 1 });
    return { kinds: [...channelKinds], pushKey: key.publicKey };
  },

  listChannels: async (call, { store }) => store.channels.list(own(call)),

  setChannel: async (call, deps) => {
    const { store, channelKinds } = deps;
    const { params, fail } = call;
    const of = own(call);
    if (!channelKinds.includes(params.by)) return fail('channel_unavailable');
    const { subscription, ...channel } = await channelIn(call, deps);
    const known = (await store.channels.list(of)).find(({ by }) => by === params.by);
    if (params.by !== 'push' && known?.address === channel.address && known.provenDate !== null) return known;
    if (subscription) {
      if (!(await store.channels.put(of, { ...channel, subscription }, null))) return fail('user_not_found');
    } else await sendCode(call, deps, channel);
    return channel;
  },

  proveChannel: async (call, { store, now }) => {
    const { params, body, refuse } = call;
    const of = own(call);
    const tried = (await store.channels.tryCode(of, params.by, now())) ?? refuse('code', 'wrong_code');
    const hash = hashOf(codeText(of.userId, tried, body.code));
    if (hash !== tried.codeHash) return refuse('code', 'wrong_code');
    const provenDate = now();
    if (!(await store.channels.prove(of, params.by, hash, provenDate))) return refuse('code', 'wrong_code');
    return { by: tried.by, address: tried.address, provenDate };
  },

  deleteChannel: async (call, { store }) => {
    const { params, fail } = call;
    return (await store.channels.remove(own(call), params.by)) ? { status: 'OK' } : fail('channel_not_found');
  },

  beginDuty: async (call, { store, now }) => {
    const { body, refuse, fail } = call;
    const { customerId, userId } = onDuty(call);
    const { until } = body;
    if (until <= now()) return refuse('until', 'minimum', { limit: now() });
    if (until > now() + LONGEST_DUTY) return refuse('until', 'maximum', { limit: now() + LONGEST_DUTY });
    return (await store.duty.begin(customerId, { userId, until })) ? { until } : fail('user_not_found');
  },

  endDuty: async (call, { store }) => {
    const { customerId, userId } = onDuty(call);
    await store.duty.end(customerId, userId);
    return { status: 'OK' };
  },

  listDuty: async ({ caller, customerId, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const all = await store.duty.of(customerId, now());
    const named = all.map(async ({ userId, until }) => {
      const user = await store.users.get(customerId, userId);
      return user ? [{ userId, name: nameOfUser(user), until }] : [];
    });
    return (await Promise.all(named)).flat();
  },
});
