import * as z from 'zod';
import {
  lookedHeaders,
  lookedQuery,
  lookedText,
  paged,
  pageQuery,
  sensorOfList,
  sortBy,
} from '#shared/api/http/paging.ts';
import { defaults, group } from '#shared/api/operation.ts';
import {
  DeliveryDetail,
  DeliveryMessage,
  DeliveryView,
  deliveryIdText,
} from '#shared/domain/delivery/delivery-view.ts';
import { NewReplay, Replay, ReplayUpdate } from '#shared/domain/delivery/replay.ts';
import { deliveryStates } from '#shared/domain/delivery/states.ts';
import { deliveryManagers, webhookManagers } from '#shared/domain/delivery/webhook-access.ts';
import { NewSecret } from '#shared/domain/delivery/webhook-secret.ts';
import { idText, integerQuery, millis, Status, uuid } from '#shared/domain/values.ts';

const time = (description: string) => integerQuery(millis).optional().meta({ description });
/** Which deliveries a list shows. */
const chosen = {
  state: z.enum(deliveryStates).optional().meta({ description: 'only deliveries in this state' }),
  since: time('only deliveries from this time on, ms'),
  until: time('only deliveries up to this time, ms'),
};

/**
 * The callers who may manage a webhook see and control its deliveries. The kind of the webhook decides which permission
 * they need.
 */
const ofWebhook = defaults({
  auth: 'user',
  may: webhookManagers,
  within: 'webhook',
});
const ByWebhook = z.object({ webhookId: uuid });
const ByDelivery = ByWebhook.extend({ deliveryId: deliveryIdText });
/** Rules name people, so whoever may change rules sees and repeats what people were sent. */
const ofPeople = defaults({
  auth: 'user',
  may: 'manage_rules',
  within: 'customer',
  params: z.object({ customerId: idText, deliveryId: deliveryIdText }),
  errors: ['delivery_not_found'],
});
const ByReplay = ByWebhook.extend({ replayId: uuid });
const Repeated = z.object({ status: z.literal('OK'), deliveryId: deliveryIdText }).meta({ id: 'NewDelivery' });

export const deliveries = group({
  name: 'deliveries',
  about: 'What was sent to webhooks, what came of it, and sending it again',
  operations: {
    listDeliveries: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries',
      summary: 'List the deliveries of a webhook of the last 30 days',
      params: ByWebhook,
      description: `${lookedText('500', '5,000')} Deliveries after the first 200 may lag by a second. Sorting by updateDate sorts each 500 deliveries by themselves.`,
      ...lookedHeaders,
      query: z.object({
        ...lookedQuery(deliveryIdText),
        sortBy: sortBy(['id', 'createDate', 'updateDate'], 'desc(createDate)'),
        ...chosen,
      }),
      success: 200,
      response: paged(DeliveryView),
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'deliveryLog.page'],
    },
    listCustomerDeliveries: {
      auth: 'user',
      may: deliveryManagers,
      within: 'customer',
      method: 'GET',
      path: '/customers/{customerId}/deliveries',
      summary: 'List the deliveries of the last 30 days to all webhooks of a customer that the caller may manage',
      params: z.object({ customerId: idText }),
      description: `${lookedText('100', '500')} With \`manage_rules\` also those to people.`,
      ...lookedHeaders,
      query: z.object({
        ...lookedQuery(deliveryIdText),
        sortBy: sortBy(['id', 'createDate'], 'desc(createDate)'),
        ...chosen,
        sensorId: sensorOfList,
        eventUuid: uuid.optional().meta({ description: 'only deliveries of the event with this uuid' }),
      }),
      success: 200,
      response: paged(DeliveryView),
      errors: ['customer_not_found'],
      uses: ['customers.get', 'webhooks.list', 'deliveryLog.joined'],
    },
    getPersonDelivery: {
      ...ofPeople,
      method: 'GET',
      path: '/customers/{customerId}/deliveries/{deliveryId}',
      summary: 'Get a delivery to a person with its attempts',
      success: 200,
      response: DeliveryDetail,
      uses: ['deliveries.get'],
    },
    getPersonDeliveryMessage: {
      ...ofPeople,
      method: 'GET',
      path: '/customers/{customerId}/deliveries/{deliveryId}/message',
      summary: 'Get what a delivery tells a person: title and text, without the address that acknowledges',
      success: 200,
      response: DeliveryMessage,
      uses: ['deliveries.get'],
    },
    redeliverToPerson: {
      ...ofPeople,
      method: 'POST',
      path: '/customers/{customerId}/deliveries/{deliveryId}/redeliver',
      summary: 'Tell a person again, by a new delivery',
      success: 202,
      response: Repeated,
      uses: ['deliveries.get', 'deliveries.create', 'enqueue:deliveries'],
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
      summary: 'Get what a delivery sends: its exact body, and the headers without secrets',
      description:
        'An attempt also has `webhook-timestamp`, signatures if the webhook has a secret, and its authentication.',
      params: ByDelivery,
      success: 200,
      response: DeliveryMessage,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'events.bytes', 'addressKeys.get', 'open:addresses', 'service:about'],
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
      uses: ['webhooks.get', 'customers.get', 'bots.get', 'deliveries.create', 'enqueue:deliveries', 'service:about'],
    },
    rotateSecret: {
      ...ofWebhook,
      method: 'PUT',
      path: '/webhooks/{webhookId}/secret',
      summary: 'Replace the secret of a webhook; the previous one may sign too for a while',
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
    listReplays: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/replays',
      summary: 'List the running replays of a webhook and its newest replay, newest first',
      params: ByWebhook,
      query: z.object(pageQuery),
      success: 200,
      response: paged(Replay),
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'replays.current'],
    },
    getReplay: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/replays/{replayId}',
      summary: 'Get a replay and its progress',
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
      summary: 'Pause or continue a replay',
      description:
        'Deliveries that are due within the next 5 seconds are still sent. A replay that has ended does not change.',
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
      summary: 'Cancel a replay: its remaining deliveries are not sent, but for what was held before it',
      params: ByReplay,
      success: 200,
      response: Status,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get', 'replays.finish', 'enqueue:retries'],
    },
  },
});
