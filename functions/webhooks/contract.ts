import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { paged, pageQuery, search, sortBy } from '../../shared/domain/page.ts';
import { idText, uuid } from '../../shared/domain/values.ts';
import { CreatedWebhook, NewWebhook, Webhook } from '../../shared/domain/webhook.ts';

/** Customer webhooks need manage_customers, bot webhooks manage_bots; which of them it is, the webhook tells. */
const either = ['manage_customers', 'manage_bots'] as const;

export const webhooks = group({
  name: 'webhooks',
  operations: {
    listWebhooks: {
      method: 'GET',
      path: '/webhooks',
      summary: 'List the webhooks of a customer that the caller may manage',
      auth: 'user',
      may: either,
      query: z.object({
        ...pageQuery,
        searchText: search,
        sortBy: sortBy(['id', 'name', 'createDate', 'updateDate'], 'asc(name)'),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(Webhook),
      uses: ['table:read'],
    },
    createWebhook: {
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook; its token is shown only in this answer',
      auth: 'user',
      may: either,
      body: NewWebhook,
      success: 201,
      response: CreatedWebhook,
      uses: ['table:write', 'call:webhooks', 'seal:secrets'],
    },
    getWebhook: {
      method: 'GET',
      path: '/webhooks/{webhookId}',
      summary: 'Get a webhook',
      auth: 'user',
      may: either,
      within: 'webhook',
      params: z.object({ webhookId: uuid }),
      success: 200,
      response: Webhook,
      errors: ['webhook_not_found'],
      uses: ['table:read'],
    },
  },
});
