import { bearer } from '#shared/api/http/exchange.ts';
import type { Call } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { unlocked } from '#shared/api/unlocked.ts';
import { findWebhook } from '#shared/api/webhook.ts';
import { sameSecret } from '#shared/auth/tokens.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { feed } from './contract.ts';
import type { FeedDeps } from './deps.ts';
import { givenNext, requestsOf } from './give.ts';
import { takeUpTo } from './take.ts';

type Fetch = Call<(typeof feed)['operations']['fetchFeed']>;

/** How often (ms) a fetch that waits looks for something to give: half a read unit each time. */
const LOOK_MS = 500;
/** How often (ms) it is noted that somebody fetches. */
const NOTED_EVERY = 60_000;

/** The webhook of the path for whoever has its token. */
const byToken = async ({ params, event, fail }: Fetch, deps: FeedDeps): Promise<WebhookRecord> => {
  const { store } = deps;
  const owner = await store.customers.ownerOf('webhook', params.webhookId);
  const found = owner === null ? null : await store.webhooks.get(owner, params.webhookId);
  const webhook = found && (await unlocked(deps, found));
  return webhook && sameSecret(bearer({ event }) ?? '', webhook.token) ? webhook : fail('credentials_invalid');
};

/** The webhook of the path for a caller who may fetch from it. */
const openFeed = async (call: Fetch, deps: FeedDeps): Promise<WebhookRecord> => {
  const { caller, fail } = call;
  const webhook = caller
    ? await unlocked(deps, await findWebhook({ ...call, caller }, deps.store))
    : await byToken(call, deps);
  if (webhook.url !== null) return fail('webhook_has_address');
  return webhook.isEnabled ? webhook : fail('webhook_disabled');
};

/** Takes what `after` says, and gives what comes next. Null when another fetch did the same meanwhile. */
const fetchOnce = async (
  { query: { after, limit }, fail }: Fetch,
  deps: FeedDeps,
  webhook: WebhookRecord,
): Promise<Awaited<ReturnType<typeof requestsOf>>['requests'] | null> => {
  const { store, now, failpoint } = deps;
  const cursor = await store.feeds.cursor(webhook);
  const rest = after === undefined ? cursor.given : await takeUpTo(deps, webhook, cursor.given, after);
  const next = await givenNext(deps, webhook, rest ?? fail('delivery_not_found'), limit);
  const { requests, lost } = await requestsOf(deps, webhook, next.deliveries);
  const given = next.given.filter(({ id }) => !lost.has(id));
  const isChanged = given.length !== cursor.given.length || given.some(({ id }, at) => id !== cursor.given[at]?.id);
  if (isChanged && !(await store.feeds.note(webhook, cursor, given, now()))) return null;
  failpoint('feed.noted');
  return requests;
};

export const handler = serve(feed, {
  fetchFeed: async (call, deps) => {
    const { store, now, pause } = deps;
    let webhook = await openFeed(call, deps);
    if ((webhook.lastSuccess ?? 0) <= now() - NOTED_EVERY) await store.feeds.heard(webhook, now());
    const end = now() + call.query.wait * 1_000;
    for (;;) {
      const requests = await retryOnConflict(() => fetchOnce(call, deps, webhook));
      if (requests.length > 0 || now() >= end) return requests;
      let isAnyWaiting = false;
      while (now() < end && !isAnyWaiting) {
        await pause(Math.max(0, Math.min(LOOK_MS, end - now())));
        isAnyWaiting = now() < end && (await store.feeds.isAnyWaiting(webhook));
      }
      if (now() >= end) return [];
      // Meanwhile it may have got another token, or have been switched off.
      webhook = await openFeed(call, deps);
    }
  },
});
