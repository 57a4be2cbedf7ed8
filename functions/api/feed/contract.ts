import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { deliveryIdText } from '#shared/domain/delivery/delivery-view.ts';
import { FEED_RETENTION, MAX_FETCHED, MAX_WAIT_SECONDS, MAX_WAITING } from '#shared/domain/delivery/feed.ts';
import { webhookManagers } from '#shared/domain/delivery/webhook-access.ts';
import { int32, integerQuery, millis, uuid } from '#shared/domain/values.ts';

const FeedDelivery = z
  .object({
    id: deliveryIdText,
    createDate: millis,
    headers: z.record(z.string(), z.string()).meta({
      description: 'all headers, including signatures and, for callers with the webhook token, authentication',
    }),
    body: z.string().meta({ description: 'the exact text the signatures are for' }),
  })
  .meta({ id: 'FeedDelivery' });

export const feed = group({
  name: 'feed',
  about: 'Fetch deliveries for webhooks without a URL',
  // A fetch may wait for deliveries.
  timeoutSeconds: MAX_WAIT_SECONDS + 5,
  operations: {
    fetchFeed: {
      method: 'GET',
      path: '/webhooks/{webhookId}/feed',
      summary: "Fetch a webhook's deliveries",
      description:
        "For webhooks without a URL. Requires the webhook's token, or a user who may manage the webhook. Returns the " +
        'headers and bodies that would have been posted, in order for each sensor. The same deliveries are returned ' +
        'until a fetch with `after` confirms all deliveries up to that id: store or handle them, then fetch with the ' +
        'last id. Deliveries that do not fit in a response follow in the next one, so a short response does not mean ' +
        `there are no more. Deliveries not confirmed within ${FEED_RETENTION / 86_400_000} days fail. Read-only ` +
        'access tokens cannot fetch.',
      auth: 'user',
      changes: true,
      may: webhookManagers,
      orWebhook: true,
      within: 'webhook',
      params: z.object({ webhookId: uuid }),
      query: z.object({
        after: deliveryIdText.optional().meta({ description: 'confirms this and all earlier deliveries' }),
        limit: integerQuery(int32(1, MAX_FETCHED))
          .default(MAX_FETCHED)
          .meta({ description: 'maximum number of deliveries' }),
        wait: integerQuery(int32(0, MAX_WAIT_SECONDS))
          .default(0)
          .meta({
            description:
              'seconds to wait for deliveries; the response is empty if there are none by then, or if ' +
              `${MAX_WAITING.ofFeed} other fetches for this webhook, or ${MAX_WAITING.ofCustomer} for this customer, ` +
              'are waiting',
          }),
      }),
      success: 200,
      response: z.array(FeedDelivery).max(MAX_FETCHED),
      errors: [
        'credentials_invalid',
        'webhook_not_found',
        'delivery_not_found',
        'webhook_disabled',
        'webhook_has_address',
      ],
      uses: [
        'customers.ownerOf',
        'webhooks.get',
        'feeds.cursor',
        'feeds.pendingIds',
        'feeds.hasPending',
        'feeds.recordHandedOut',
        'feeds.acknowledge',
        'feeds.end',
        'feeds.removeFromFeed',
        'feeds.recordFetch',
        'feedWaits.begin',
        'feedWaits.end',
        'deliveries.get',
        'deliveries.getAll',
        'events.bytes',
        'ruleHits.get',
        'hitReports.report',
        'eventAlarms.end',
        'repetitions.endOriginal',
        'replays.get',
        'replays.finish',
        'enqueue:retries',
        'addressKeys.get',
        'addressKeys.keep',
        'encrypt:secrets',
        'decrypt:secrets',
        'service:about',
        'measure',
      ],
    },
  },
});
