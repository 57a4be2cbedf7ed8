import * as z from 'zod';
import { paged, pageQuery, search, sortBy } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import {
  Circuit,
  CreatedWebhook,
  NewWebhook,
  Webhook,
  WebhookToken,
  WebhookUpdate,
} from '#shared/domain/delivery/webhook.ts';
import { webhookManagers } from '#shared/domain/delivery/webhook-access.ts';
import { Seen } from '#shared/domain/rule/watch.ts';
import { idText, Status, uuid } from '#shared/domain/values.ts';

const ByWebhook = z.object({ webhookId: uuid });

export const webhooks = group({
  name: 'webhooks',
  about: 'Addresses that are told, their secrets and health',
  operations: {
    listWebhooks: {
      method: 'GET',
      path: '/webhooks',
      summary: 'List the webhooks of a customer that the caller may manage',
      auth: 'user',
      may: webhookManagers,
      query: z.object({
        ...pageQuery,
        searchText: search,
        sortBy: sortBy(['id', 'name', 'createDate', 'updateDate'], 'asc(name)'),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(Webhook),
      uses: ['webhooks.list'],
    },
    createWebhook: {
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook; its token is shown only in this answer',
      auth: 'user',
      may: webhookManagers,
      body: NewWebhook,
      success: 201,
      response: CreatedWebhook,
      errors: ['limit_reached'],
      uses: ['customers.get', 'sensorGroups.get', 'webhooks.create', 'call:webhooks', 'seal:secrets', 'keep:quotas'],
    },
    getWebhook: {
      method: 'GET',
      path: '/webhooks/{webhookId}',
      summary: 'Get a webhook',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      success: 200,
      response: Webhook,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get'],
    },
    getCircuit: {
      method: 'GET',
      path: '/webhooks/{webhookId}/circuit',
      summary: 'Get the state of the circuit breaker of a webhook',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      success: 200,
      response: Circuit,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get'],
    },
    updateWebhook: {
      method: 'PUT',
      path: '/webhooks/{webhookId}',
      summary: 'Replace a webhook',
      description:
        'Without `secretKey` the secret stays, and null removes it; both null and a new one end the overlap of a rotation. ' +
        'Enabling a disabled webhook resets its health. A webhook that moves to another bot, or to the customer, gets ' +
        'nothing more from the rules that named it.',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      body: WebhookUpdate,
      success: 200,
      response: Webhook,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'sensorGroups.get', 'webhooks.replace', 'rules.list', 'call:webhooks', 'seal:secrets'],
    },
    deleteWebhook: {
      method: 'DELETE',
      path: '/webhooks/{webhookId}',
      summary: 'Delete a webhook; its waiting deliveries are not sent any more',
      description: 'Rules that name it stay as they are, as with a deleted bot.',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      success: 200,
      response: Status,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'webhooks.remove'],
    },
    markSeen: {
      method: 'PUT',
      path: '/webhooks/{webhookId}/seen',
      summary: 'Say that somebody has seen the trouble of a webhook',
      description:
        'The trouble of that date leaves `getWatch` for everybody; what happened after it stays. For whoever gets that ' +
        'answer, without other rights.',
      auth: 'user',
      may: 'logged_in',
      within: 'webhook',
      params: ByWebhook,
      body: Seen,
      success: 200,
      response: Status,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'health.seen'],
    },
    drawWebhookToken: {
      method: 'POST',
      path: '/webhooks/{webhookId}/token',
      summary: 'Draw a new token, which is shown only in this answer; the next attempt uses it',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      success: 200,
      response: WebhookToken,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'webhooks.setToken', 'seal:secrets'],
    },
  },
});
