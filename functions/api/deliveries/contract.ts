import * as z from 'zod';
import { group, type Operation } from '../../../shared/api/operation.ts';
import {
  DeliveryDetail,
  DeliveryMessage,
  DeliveryView,
  deliveryIdText,
  deliveryStates,
} from '../../../shared/domain/delivery-view.ts';
import { lookedHeaders, lookedQuery, lookedText, paged, sortBy } from '../../../shared/domain/page.ts';
import { NewReplay, Replay, ReplayUpdate } from '../../../shared/domain/replay.ts';
import { integerQuery, millis, Status, uuid } from '../../../shared/domain/values.ts';
import { NewSecret } from '../../../shared/domain/webhook.ts';
import { webhookManagers } from '../../../shared/domain/webhook-access.ts';

const time = (description: string) => integerQuery(millis).optional().meta({ description });

/** Whoever may manage a webhook sees and steers its deliveries. Which permission that is, the webhook tells. */
const ofWebhook = {
  auth: 'user',
  may: webhookManagers,
  within: 'webhook',
} as const satisfies Partial<Operation>;
const ByWebhook = z.object({ webhookId: uuid });
const ByDelivery = ByWebhook.extend({ deliveryId: deliveryIdText });
const ByReplay = ByWebhook.extend({ replayId: uuid });
const Repeated = z.object({ status: z.literal('OK'), deliveryId: deliveryIdText }).meta({ id: 'NewDelivery' });

export const deliveries = group({
  name: 'deliveries',
  operations: {
    listDeliveries: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries',
      summary: 'List the deliveries of a webhook of the last 30 days',
      params: ByWebhook,
      description: `${lookedText('500', '5,000')} What is behind the first 200 may lag by a second. Sorted by updateDate is each 500.`,
      ...lookedHeaders,
      query: z.object({
        ...lookedQuery(deliveryIdText),
        sortBy: sortBy(['id', 'createDate', 'updateDate'], 'desc(createDate)'),
        state: z.enum(deliveryStates).optional().meta({ description: 'those in this state alone' }),
        since: time('those from this time on, ms'),
        until: time('those up to this time, ms'),
      }),
      success: 200,
      response: paged(DeliveryView),
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'deliveryLog.page'],
    },
    getDelivery: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
      summary: 'Get a delivery with its attempts',
      params: ByDelivery,
      success: 200,
      response: DeliveryDetail,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'deliveries.bodies'],
    },
    getDeliveryMessage: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}/message',
      summary: 'Get what a delivery sends: its exact body, and the headers that hold no secret',
      description:
        'An attempt also has `webhook-timestamp`, the signatures if the webhook has a secret, and what authenticates it.',
      params: ByDelivery,
      success: 200,
      response: DeliveryMessage,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'events.bytes', 'service:about'],
    },
    redeliver: {
      ...ofWebhook,
      method: 'POST',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
      summary: 'Send a delivery again, as a new one with the same webhook-id',
      params: ByDelivery,
      success: 202,
      response: Repeated,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'deliveries.create', 'held.replace', 'enqueue:deliveries'],
    },
    testWebhook: {
      ...ofWebhook,
      method: 'POST',
      path: '/webhooks/{webhookId}/test',
      summary: 'Send a test/ping event to a webhook',
      params: ByWebhook,
      success: 202,
      response: Repeated,
      errors: ['webhook_not_found', 'webhook_disabled'],
      uses: ['webhooks.get', 'customers.get', 'deliveries.create', 'enqueue:deliveries', 'service:about'],
    },
    rotateSecret: {
      ...ofWebhook,
      method: 'PUT',
      path: '/webhooks/{webhookId}/secret',
      summary: 'Give a webhook another secret; the one before signs too for a while',
      params: ByWebhook,
      body: NewSecret,
      success: 200,
      response: Status,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'secrets.rotate', 'seal:secrets'],
    },
    createReplay: {
      ...ofWebhook,
      method: 'POST',
      path: '/webhooks/{webhookId}/replays',
      summary: 'Send the deliveries of a span of time again',
      params: ByWebhook,
      body: NewReplay,
      success: 202,
      response: Replay,
      errors: ['webhook_not_found', 'limit_reached'],
      uses: ['webhooks.get', 'deliveryLog.oldest', 'replays.create', 'enqueue:retries', 'keep:quotas'],
    },
    getReplay: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/replays/{replayId}',
      summary: 'Get a replay: how far it is',
      params: ByReplay,
      success: 200,
      response: Replay,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get'],
    },
    updateReplay: {
      ...ofWebhook,
      method: 'PUT',
      path: '/webhooks/{webhookId}/replays/{replayId}',
      summary: 'Pause a replay, or let it go on',
      description: 'What comes due within the next 5 seconds still goes out. A replay that has ended stays as it is.',
      params: ByReplay,
      body: ReplayUpdate,
      success: 200,
      response: Replay,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get', 'replays.pause', 'enqueue:retries'],
    },
    cancelReplay: {
      ...ofWebhook,
      method: 'DELETE',
      path: '/webhooks/{webhookId}/replays/{replayId}',
      summary: 'Cancel a replay: what it has not sent yet is not sent',
      params: ByReplay,
      success: 200,
      response: Status,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get', 'replays.finish', 'enqueue:retries'],
    },
  },
});
