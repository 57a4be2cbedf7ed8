import { customerFor, customerOfList } from '#shared/api/customer.ts';
import { serve } from '#shared/api/serve.ts';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { bots } from './contract.ts';

export const handler = serve(bots, {
  listBots: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    return customerId === null ? [] : store.bots.list(customerId);
  },

  createBot: async ({ caller, body, fail, refuse }, { store, quotas, now }) => {
    const customerId = await customerFor({ caller, fail, refuse }, body.customerId, store);
    const time = now();
    const id = await store.limits.nextNumber('accounts');
    const bot = { ...body, id, customerId, createDate: time, updateDate: time };
    const problem = await store.bots.create(bot, quotas.bots);
    if (problem === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'bots'));
    return problem === null ? bot : refuse('customerId', 'unknown_reference');
  },

  getBot: async ({ customerId, params, fail }, { store }) =>
    (await store.bots.get(customerId, params.botId)) ?? fail('bot_not_found'),

  updateBot: async ({ customerId, params, body, fail }, { store, now }) =>
    (await store.bots.update(customerId, params.botId, body, now())) ?? fail('bot_not_found'),

  // The bot is removed first, so no webhook can be added. The ownership record is removed last, so that an interrupted
  // deletion can be repeated.
  deleteBot: async ({ customerId, params: { botId }, fail }, { store, now }) => {
    const isRemoved = await store.bots.remove(customerId, botId);
    const webhooks = (await store.webhooks.list(customerId)).filter((webhook) => webhook.botId === botId);
    await inBatches(webhooks, (webhook) => store.webhooks.remove(webhook, now()));
    await store.bots.forget(customerId, botId);
    return isRemoved || webhooks.length > 0 ? { status: 'OK' } : fail('bot_not_found');
  },
});
