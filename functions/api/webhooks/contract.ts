import * as z from 'zod';
import { paged, pageQuery, searchParameter, sortBy } from '#shared/api/http/paging.ts';
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
import { idText, Status, uuid } from '#shared/domain/values.ts';
import { Seen } from '#shared/domain/watch/watch.ts';

const ByWebhook = z.object({ webhookId: uuid });

export const webhooks = group({
  name: 'webhooks',
  about: 'Receivers of notifications, their secrets and health',
  operations: {
    listWebhooks: {
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhooks',
      description: 'Returns the webhooks of a customer that the caller may manage.',
      auth: 'user',
      may: webhookManagers,
      query: z.object({
        ...pageQuery,
        searchText: searchParameter,
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
      summary: 'Create a webhook',
      description: 'The token of the webhook is returned only in this response.',
      auth: 'user',
      may: webhookManagers,
      body: NewWebhook,
      success: 201,
      response: CreatedWebhook,
      errors: ['limit_reached'],
      uses: ['customers.get', 'sensorGroups.get', 'webhooks.create', 'call:webhooks', 'encrypt:secrets', 'keep:quotas'],
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
      summary: 'Update a webhook',
      description:
        'Replaces the webhook. Without `secretKey` the secret is kept; null removes it. Both null and a new secret end the ' +
        'overlap of a rotation. Enabling a disabled webhook resets its health. A webhook that moves to another bot, or to the ' +
        'customer, is no longer notified by the rules that name it.',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      body: WebhookUpdate,
      success: 200,
      response: Webhook,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'sensorGroups.get', 'webhooks.replace', 'rules.list', 'call:webhooks', 'encrypt:secrets'],
    },
    deleteWebhook: {
      method: 'DELETE',
      path: '/webhooks/{webhookId}',
      summary: 'Delete a webhook',
      description: 'Pending deliveries are not sent. Rules that name the webhook are kept, as with a deleted bot.',
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
      summary: 'Mark the failure of a webhook as seen',
      description:
        'Removes the failure of the given date from `getWatch` for everybody; later failures remain. Callers who can read ' +
        '`getWatch` need no further permission.',
      auth: 'user',
      may: 'logged_in',
      within: 'webhook',
      params: ByWebhook,
      body: Seen,
      success: 200,
      response: Status,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'health.clearFailures'],
    },
    drawWebhookToken: {
      method: 'POST',
      path: '/webhooks/{webhookId}/token',
      summary: 'Generate a new token',
      description: 'The token is returned only in this response. It is used from the next attempt on.',
      auth: 'user',
      may: webhookManagers,
      within: 'webhook',
      params: ByWebhook,
      success: 200,
      response: WebhookToken,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'webhooks.setToken', 'encrypt:secrets'],
    },
  },
});
