import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { deliveryIdText } from '#shared/domain/delivery/delivery-view.ts';
import { FEED_KEPT, LONGEST_WAIT, MOST_GIVEN } from '#shared/domain/delivery/feed.ts';
import { webhookManagers } from '#shared/domain/delivery/webhook-access.ts';
import { int32, integerQuery, millis, uuid } from '#shared/domain/values.ts';

const FeedDelivery = z
  .object({
    id: deliveryIdText,
    createDate: millis,
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'all headers, those that authenticate and sign too' }),
    body: z.string().meta({ description: 'the exact text that is signed' }),
  })
  .meta({ id: 'FeedDelivery' });

export const feed = group({
  name: 'feed',
  about: 'Fetching what a webhook without an address has to tell',
  // A fetch may wait for something to give.
  timeoutSeconds: LONGEST_WAIT + 5,
  operations: {
    fetchFeed: {
      method: 'GET',
      path: '/webhooks/{webhookId}/feed',
      summary: 'Fetch what a webhook without an address has to tell',
      description:
        'By the token of the webhook, or by a user who may manage it. The answer has the headers and bodies that would have ' +
        'been posted, in order for each sensor. It is given again until a fetch with `after` takes all up to that id as ' +
        'delivered: store or handle what you got, then fetch with the last id. A short answer is no end: what is too large ' +
        `for one answer follows in the next. What nobody takes within ${FEED_KEPT / 86_400_000} days ends as failed.`,
      auth: 'user',
      may: webhookManagers,
      orWebhook: true,
      within: 'webhook',
      params: z.object({ webhookId: uuid }),
      query: z.object({
        after: deliveryIdText
          .optional()
          .meta({ description: 'the last delivery that is taken; all before it are too' }),
        limit: integerQuery(int32(1, MOST_GIVEN))
          .default(MOST_GIVEN)
          .meta({ description: 'how many are given at most' }),
        wait: integerQuery(int32(0, LONGEST_WAIT))
          .default(0)
          .meta({ description: 'seconds to wait for something to give; the answer is empty when nothing came' }),
      }),
      success: 200,
      response: z.array(FeedDelivery).max(MOST_GIVEN),
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
        'feeds.waiting',
        'feeds.isAnyWaiting',
        'feeds.note',
        'feeds.take',
        'feeds.end',
        'feeds.drop',
        'feeds.heard',
        'deliveries.get',
        'deliveries.getAll',
        'events.bytes',
        'ruleHits.get',
        'ruleHits.report',
        'repetitions.endOriginal',
        'replays.get',
        'replays.finish',
        'enqueue:retries',
        'addressKeys.get',
        'addressKeys.keep',
        'seal:secrets',
        'open:secrets',
        'service:about',
        'measure',
      ],
    },
  },
});
