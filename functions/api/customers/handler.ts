import { serve } from '#shared/api/serve.ts';
import { verifiedChannelsOf } from '#shared/api/verified-channels.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { notOffered } from '#shared/domain/people/sendable.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { customers } from './contract.ts';

type ClearDeps = Deps<(typeof customers)['operations']['deleteCustomer']['uses'][number]>;

/**
 * Removes objects left behind by a deleted customer, and returns how many were removed. This can be interrupted and
 * repeated. Bots come first, because other objects can only be created while their customer or bot exists.
 */
const removeLeftovers = async (store: ClearDeps['store'], customerId: number, now: number): Promise<number> => {
  const { bots, rules, sensorGroups, webhooks } = store;
  const removedBots = await inBatches(await bots.list(customerId), async ({ id }) => {
    await bots.forget(customerId, id);
    await bots.remove(customerId, id);
  });
  const removedWebhooks = await inBatches(await webhooks.list(customerId), (webhook) => webhooks.forget(webhook, now));
  const removedRules = await inBatches(await rules.list(customerId), rules.remove);
  // A group can be removed only once no rule or webhook refers to it.
  const removedGroups = await inBatches(await sensorGroups.list(customerId), ({ id }) =>
    sensorGroups.remove(customerId, id),
  );
  return removedBots + removedWebhooks + removedRules + removedGroups;
};

export const handler = serve(customers, {
  listCustomers: async (_, { store }) => store.customers.list(),

  createCustomer: async ({ body }, { store, now }) => {
    const time = now();
    const id = await store.limits.nextNumber('customers');
    const customer = { ...body, timeZone: body.timeZone ?? 'UTC', id, createDate: time, updateDate: time };
    await store.customers.create(customer);
    return customer;
  },

  getCustomer: async ({ customerId, fail }, { store }) =>
    (await store.customers.get(customerId)) ?? fail('customer_not_found'),

  updateCustomer: async ({ customerId, body, fail }, { store, now }) =>
    (await store.customers.update(customerId, body, now())) ?? fail('customer_not_found'),

  getEmergencyContacts: async ({ customerId, fail }, { store }) =>
    ((await store.customers.get(customerId)) ?? fail('customer_not_found')).emergencyContacts ?? [],

  setEmergencyContacts: async ({ customerId, body, auditChange, refuse, fail }, { store, settings, now }) => {
    const { emergencyContacts = [] } = (await store.customers.get(customerId)) ?? fail('customer_not_found');
    for (const [at, { userId, by }] of body.entries()) {
      if (!settings.CHANNEL_KINDS.includes(by)) return refuse(`${at}.by`, ...notOffered(settings));
      const channels =
        (await verifiedChannelsOf(store, customerId, userId)) ?? refuse(`${at}.userId`, 'unknown_reference');
      if (!channels.some((channel) => channel.by === by)) return refuse(`${at}.by`, 'not_reachable');
    }
    auditChange({ emergencyContacts }, { emergencyContacts: body });
    const isSet = await store.customers.setEmergencyContacts(customerId, body, now());
    return isSet ? body : fail('customer_not_found');
  },

  deleteCustomer: async ({ customerId, auditUnder, fail }, { store, now }) => {
    auditUnder(UNASSIGNED);
    const problem = await store.customers.remove(customerId);
    if (problem === 'in_use') return fail('customer_in_use');
    const removed = await removeLeftovers(store, customerId, now());
    return problem === 'gone' && removed === 0 ? fail('customer_not_found') : { status: 'OK' };
  },
});
