import { onDutyViews, reachableBy, readPeopleOnDuty } from '#shared/api/on-duty.ts';
import { serve } from '#shared/api/serve.ts';
import { pushKeysFrom } from '#shared/auth/push-keys.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import type { Caller } from '#shared/domain/identity/permission.ts';
import { codeHashInput, type KeptChannel, PUSH_KEY_CONTEXT } from '#shared/domain/people/channel.ts';
import { channelView, channelViewForOthers } from '#shared/domain/people/channel-view.ts';
import { MAX_DUTY, usersOnDuty } from '#shared/domain/people/duty.ts';
import { currentEntries } from '#shared/domain/people/roster.ts';
import { notOffered } from '#shared/domain/people/sendable.ts';
import { nameOfUser } from '#shared/domain/rule/acknowledgement.ts';
import { dayAfter } from '#shared/domain/time/calendar.ts';
import { wallTime } from '#shared/domain/time/wall-time.ts';
import { channelIn } from './channel-input.ts';
import { channels } from './contract.ts';
import { checkedRoster } from './roster.ts';
import { sendCode } from './send-code.ts';

type UserCall = {
  caller: Caller;
  params: { userId: number };
  fail: (code: 'user_not_found') => never;
};
/** Returns the caller's ids. No one, not even a system admin, can change another user's channels. */
const ownIds = ({ caller, params, fail }: UserCall) => {
  if (params.userId !== caller.accountId) return fail('user_not_found');
  return { customerId: caller.customerId, userId: caller.accountId };
};

type DutyCall = Omit<UserCall, 'fail'> & { fail: (code: 'user_not_found' | 'customer_missing') => never };
/** Returns the caller's ids. Only users with a customer can be on duty. */
const dutyIds = (call: DutyCall) => {
  const { customerId, userId } = ownIds(call);
  return { customerId: customerId ?? call.fail('customer_missing'), userId };
};

export const handler = serve(channels, {
  getChannelKinds: async ({ fail }, { store: { pushKeys }, encryptSecret, random, settings }) => {
    if ((await pushKeys.get()) === null) {
      const { publicKey, privateKey } = pushKeysFrom(random(32));
      await pushKeys.keep({ publicKey, sealed: await encryptSecret(privateKey, PUSH_KEY_CONTEXT) });
    }
    const key = (await pushKeys.get()) ?? fail('unavailable', { waitSeconds: 1 });
    return { kinds: [...settings.CHANNEL_KINDS], outbox: [...settings.OUTBOX_KINDS], pushKey: key.publicKey };
  },

  listChannels: async ({ caller, customerId, params: { userId }, fail }, { store }) => {
    const isSelf = userId === caller.accountId;
    if (!isSelf && !(await store.users.get(customerId, userId))) return fail('user_not_found');
    const channels = await store.channels.list({ customerId, userId });
    return channels.map(isSelf ? channelView : channelViewForOthers);
  },

  setChannel: async (call, deps) => {
    const { store, settings } = deps;
    const { params, fail, refuse } = call;
    const ids = ownIds(call);
    if (!settings.CHANNEL_KINDS.includes(params.by)) return refuse('by', ...notOffered(settings));
    const { subscription, ...channel } = await channelIn(call, deps);
    if (subscription) {
      if (!(await store.channels.put(ids, { ...channel, subscription }, null))) return fail('user_not_found');
      return channelView(channel);
    }
    const known = (await store.channels.list(ids)).find(({ by }) => by === params.by);
    const isVerified = known?.address === channel.address && known.provenDate !== null;
    if (isVerified && known.undeliverableDate === undefined) return channelView(known);
    // An undeliverable address stays in use while the code is pending, because the next alarm may get through.
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

  beginDuty: async (call, { store, settings, now }) => {
    const { body, refuse, fail } = call;
    const { customerId, userId } = dutyIds(call);
    const { until } = body;
    if (until <= now()) return refuse('until', 'minimum', { limit: now() });
    if (until > now() + MAX_DUTY) return refuse('until', 'maximum', { limit: now() + MAX_DUTY });
    if (!(await store.duty.begin(customerId, { userId, until }))) return fail('user_not_found');
    return { until, reachableBy: reachableBy(await store.channels.list({ customerId, userId }), settings) };
  },

  endDuty: async (call, { store, now }) => {
    const { customerId, userId } = dutyIds(call);
    const [customer, duty] = await Promise.all([store.customers.get(customerId), store.duty.get(customerId)]);
    const plan = { ...duty, timeZone: customer?.timeZone ?? 'UTC' };
    const isOnDuty = usersOnDuty(plan, now()).some((onDuty) => onDuty.userId === userId);
    const own = duty.own.find((other) => other.userId === userId) ?? { userId };
    if (isOnDuty) await store.duty.end(customerId, own, now());
    return { status: 'OK' };
  },

  listDuty: async ({ customerId, fail }, { store, settings, now }) => {
    const customer = (await store.customers.get(customerId)) ?? fail('customer_not_found');
    return onDutyViews(await readPeopleOnDuty(store, customerId, customer, now()), settings);
  },

  getRoster: async ({ customerId, fail }, { store, now }) => {
    const { timeZone } = (await store.customers.get(customerId)) ?? fail('customer_not_found');
    const [entries, users] = await Promise.all([store.duty.roster(customerId), store.users.list(customerId)]);
    const userIds = new Set(users.map(({ id }) => id));
    const yesterday = dayAfter(wallTime(now(), timeZone).date, -1);
    return currentEntries(entries, yesterday).filter(({ userId }) => userIds.has(userId));
  },

  listRosterPeople: async ({ customerId, fail }, { store, settings }) => {
    if (!(await store.customers.get(customerId))) return fail('customer_not_found');
    const users = (await store.users.list(customerId)).filter(({ canLogin }) => canLogin);
    const channels = new Map<number, KeptChannel[]>();
    await inBatches(users, async ({ id: userId }) =>
      channels.set(userId, await store.channels.list({ customerId, userId })),
    );
    return users.map((user) => ({
      userId: user.id,
      name: nameOfUser(user),
      reachableBy: reachableBy(channels.get(user.id) ?? [], settings),
    }));
  },

  setRoster: async (call, { store, now }) => {
    const { customerId, auditChange, fail } = call;
    const customer = (await store.customers.get(customerId)) ?? fail('customer_not_found');
    const today = wallTime(now(), customer.timeZone).date;
    const entries = checkedRoster(call, await store.users.list(customerId), today);
    auditChange({ roster: await store.duty.roster(customerId) }, { roster: entries });
    return (await store.duty.setRoster(customerId, entries)) ? entries : fail('customer_not_found');
  },
});
