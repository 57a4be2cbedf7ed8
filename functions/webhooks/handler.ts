import { customerFor, customerOfList } from '../../shared/api/customer.ts';
import { serve } from '../../shared/api/serve.ts';
import { randomUuid, uuidV4Bytes, zBase32 } from '../../shared/domain/ids.ts';
import { matches, pageOf, sorted } from '../../shared/domain/page.ts';
import { type Caller, holds } from '../../shared/domain/permission.ts';
import { viewOf } from '../../shared/domain/webhook.ts';
import { webhooks } from './contract.ts';

const mayManage = (caller: Caller, webhook: { isCustomerHook: boolean }): boolean =>
  holds(caller, webhook.isCustomerHook ? 'manage_customers' : 'manage_bots');

export const handler = serve(webhooks, {
  listWebhooks: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const all = customerId === null ? [] : await store.webhooks.list(customerId);
    const found = all.filter((one) => mayManage(caller, one) && matches(query.searchText, one.name, one.url));
    return pageOf(sorted(found.map(viewOf), query.sortBy), query);
  },

  createWebhook: async ({ caller, body, fail, refuse }, { store, callee, sealSecret, now, random }) => {
    if (!mayManage(caller, body)) return fail('forbidden');
    const customerId = await customerFor(caller, body.customerId, store, fail, refuse);
    const target = await callee.check(body.url);
    if (!target.ok) return refuse('url', target.reason === 'url_address' ? 'url_address' : 'url');
    const { secretKey = null, customerId: _, ...given } = body;
    const time = now();
    const id = randomUuid(random);
    const token = zBase32(uuidV4Bytes(random(16)));
    const record = {
      ...given,
      id,
      customerId,
      createDate: time,
      updateDate: time,
      secretKey: secretKey === null ? null : await sealSecret(secretKey, id),
      token: await sealSecret(token, id),
      disabledReason: null,
      consecutiveFailures: 0,
    };
    if (!(await store.webhooks.create(record)))
      return refuse(body.botId === null ? 'customerId' : 'botId', 'unknown_reference');
    return { ...viewOf(record), token };
  },

  getWebhook: async ({ caller, customerId, params, fail }, { store }) => {
    const webhook = await store.webhooks.get(customerId, params.webhookId);
    if (!webhook) return fail('webhook_not_found');
    return mayManage(caller, webhook) ? viewOf(webhook) : fail('forbidden');
  },
});
