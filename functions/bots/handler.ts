import { customerFor, customerOfList } from '../../shared/api/customer.ts';
import { serve } from '../../shared/api/serve.ts';
import { bots } from './contract.ts';

export const handler = serve(bots, {
  listBots: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    return customerId === null ? [] : store.bots.list(customerId);
  },

  createBot: async ({ caller, body, fail, refuse }, { store, now }) => {
    const customerId = await customerFor(caller, body.customerId, store, fail, refuse);
    const time = now();
    const id = await store.limits.nextNumber('accounts');
    const bot = { ...body, id, customerId, createDate: time, updateDate: time };
    return (await store.bots.create(bot)) ? bot : refuse('customerId', 'unknown_reference');
  },

  getBot: async ({ customerId, params, fail }, { store }) =>
    (await store.bots.get(customerId, params.botId)) ?? fail('bot_not_found'),
});
