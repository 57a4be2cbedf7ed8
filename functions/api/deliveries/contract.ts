import * as z from 'zod';
import {
  paged,
  pageQuery,
  partialListDescription,
  partialListHeaders,
  partialListQuery,
  sensorParameter,
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
const filters = {
  state: z.enum(deliveryStates).optional().meta({ description: 'only deliveries in this state' }),
  since: time('only deliveries from this time on, ms'),
  until: time('only deliveries up to this time, ms'),
};

/**
 * Callers who may manage a webhook can see and control its deliveries. The kind of webhook determines which permission
 * is needed.
 */
const ofWebhook = defaults({
  auth: 'user',
  may: webhookManagers,
  within: 'webhook',
});
const ByWebhook = z.object({ webhookId: uuid });
const ByDelivery = ByWebhook.extend({ deliveryId: deliveryIdText });
/** Rules name people, so callers who may change rules may also see and resend deliveries to those people. */
const ofPeople = defaults({
  auth: 'user',
  may: 'manage_rules',
  within: 'customer',
  params: z.object({ customerId: idText, deliveryId: deliveryIdText }),
  errors: ['delivery_not_found'],
});
const ByReplay = ByWebhook.extend({ replayId: uuid });
const NewDelivery = z.object({ status: z.literal('OK'), deliveryId: deliveryIdText }).meta({ id: 'DeliveryCreation' });

export const deliveries = group({
  name: 'deliveries',
  about: 'Deliveries to webhooks and people: attempts, messages and resending',
  operations: {
    listDeliveries: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries',
      summary: "List a webhook's deliveries",
      params: ByWebhook,
      description:
        `Returns deliveries from the last 30 days. ${partialListDescription('500', '5,000')} Deliveries after the ` +
        'first 200 may lag by a second. `updateDate` sorts each batch of 500 deliveries separately.',
      ...partialListHeaders,
      query: z.object({
        ...partialListQuery(deliveryIdText),
        sortBy: sortBy(['id', 'createDate', 'updateDate'], 'desc(createDate)'),
        ...filters,
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
      summary: "List a customer's deliveries",
      params: z.object({ customerId: idText }),
      description:
        'Returns deliveries from the last 30 days to all webhooks the caller may manage and, for callers with ' +
        `\`manage_rules\`, to people. ${partialListDescription('100', '500')}`,
      ...partialListHeaders,
      query: z.object({
        ...partialListQuery(deliveryIdText),
        sortBy: sortBy(['id', 'createDate'], 'desc(createDate)'),
        ...filters,
        sensorId: sensorParameter,
        eventUuid: uuid.optional().meta({ description: 'only deliveries for the event with this UUID' }),
      }),
      success: 200,
      response: paged(DeliveryView),
      errors: ['customer_not_found'],
      uses: ['customers.get', 'webhooks.list', 'deliveryLog.pageOfAll'],
    },
    getPersonDelivery: {
      ...ofPeople,
      method: 'GET',
      path: '/customers/{customerId}/deliveries/{deliveryId}',
      summary: 'Get a delivery to a person',
      description:
        'Returns the delivery with all attempts. Webhook deliveries are at ' +
        '`/webhooks/{webhookId}/deliveries/{deliveryId}`.',
      success: 200,
      response: DeliveryDetail,
      uses: ['deliveries.get'],
    },
    getPersonDeliveryMessage: {
      ...ofPeople,
      method: 'GET',
      path: '/customers/{customerId}/deliveries/{deliveryId}/message',
      summary: 'Get the message sent to a person',
      description: 'Returns the title and text, without the acknowledgement link.',
      success: 200,
      response: DeliveryMessage,
      uses: ['deliveries.get'],
    },
    redeliverToPerson: {
      ...ofPeople,
      method: 'POST',
      path: '/customers/{customerId}/deliveries/{deliveryId}/redeliver',
      summary: 'Resend a delivery to a person',
      description: 'Creates a new delivery.',
      success: 202,
      response: NewDelivery,
      uses: ['deliveries.get', 'deliveries.create', 'enqueue:deliveries'],
    },
    getDelivery: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}',
      summary: 'Get a webhook delivery',
      description: 'Returns the delivery with all attempts.',
      params: ByDelivery,
      success: 200,
      response: DeliveryDetail,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'deliveries.responseBodies'],
    },
    getDeliveryMessage: {
      ...ofWebhook,
      method: 'GET',
      path: '/webhooks/{webhookId}/deliveries/{deliveryId}/message',
      summary: "Get a delivery's message",
      description:
        'Returns the body, in which `acknowledgeUrl` is null, and the headers without secrets. An attempt also has ' +
        "`webhook-timestamp`, signatures if the webhook has a secret, and the webhook's authentication.",
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
      summary: 'Resend a webhook delivery',
      description: 'Creates a new delivery with the same `webhook-id`.',
      params: ByDelivery,
      success: 202,
      response: NewDelivery,
      errors: ['webhook_not_found', 'delivery_not_found'],
      uses: ['webhooks.get', 'deliveries.get', 'deliveries.create', 'held.replace', 'enqueue:deliveries'],
    },
    testWebhook: {
      ...ofWebhook,
      method: 'POST',
      path: '/webhooks/{webhookId}/test',
      summary: 'Test a webhook',
      description: 'Sends a `test/ping` event.',
      params: ByWebhook,
      success: 202,
      response: NewDelivery,
      errors: ['webhook_not_found', 'webhook_disabled'],
      uses: ['webhooks.get', 'customers.get', 'bots.get', 'deliveries.create', 'enqueue:deliveries', 'service:about'],
    },
    rotateSecret: {
      ...ofWebhook,
      method: 'PUT',
      path: '/webhooks/{webhookId}/secret',
      summary: "Rotate a webhook's secret",
      description: 'Replaces the secret. For `overlapSeconds`, requests are also signed with the previous one.',
      params: ByWebhook,
      body: NewSecret,
      success: 200,
      response: Status,
      errors: ['webhook_not_found'],
      uses: ['webhooks.get', 'secrets.rotate', 'encrypt:secrets'],
    },
    createReplay: {
      ...ofWebhook,
      method: 'POST',
      path: '/webhooks/{webhookId}/replays',
      summary: 'Replay deliveries',
      description: 'Resends the deliveries from a time range.',
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
      summary: "List a webhook's replays",
      description: 'Returns the running replays and the latest one, newest first.',
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
      summary: 'Get a replay',
      description: 'Returns a replay and how far it has progressed.',
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
      summary: 'Pause or resume a replay',
      description: 'After pausing, deliveries due within 5 seconds are still sent. An ended replay does not change.',
      params: ByReplay,
      body: ReplayUpdate,
      success: 200,
      response: Replay,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get', 'replays.setPaused', 'enqueue:retries'],
    },
    cancelReplay: {
      ...ofWebhook,
      method: 'DELETE',
      path: '/webhooks/{webhookId}/replays/{replayId}',
      summary: 'Cancel a replay',
      description: 'The remaining deliveries are not sent, except for those held before the replay.',
      params: ByReplay,
      success: 200,
      response: Status,
      errors: ['webhook_not_found', 'replay_not_found'],
      uses: ['webhooks.get', 'replays.get', 'replays.finish', 'enqueue:retries'],
    },
  },
});
