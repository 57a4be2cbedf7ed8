import { decryptWebhook } from '#shared/api/decrypt-webhook.ts';
import { findWebhook } from '#shared/api/find-webhook.ts';
import { bearerToken } from '#shared/api/http/exchange.ts';
import type { Call } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { secretsEqual } from '#shared/auth/tokens.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { confirmUpTo } from './confirm.ts';
import { feed } from './contract.ts';
import type { FeedDeps } from './deps.ts';
import { nextDeliveries, requestsOf } from './next-deliveries.ts';

type FetchCall = Call<(typeof feed)['operations']['fetchFeed']>;

/** How often (ms) a waiting fetch checks for deliveries, which costs half a read unit each time. */
const POLL_MS = 500;
/** How often (ms) the time of the last fetch is recorded. */
const RECORD_EVERY_MS = 60_000;

/** Returns the webhook of the path for a caller with its token. */
const webhookByToken = async ({ params, event, fail }: FetchCall, deps: FeedDeps): Promise<WebhookRecord> => {
  const { store } = deps;
  const owner = await store.customers.ownerOf('webhook', params.webhookId);
  const found = owner === null ? null : await store.webhooks.get(owner, params.webhookId);
  const webhook = found && (await decryptWebhook(deps, found));
  return webhook && secretsEqual(bearerToken({ event }) ?? '', webhook.token) ? webhook : fail('credentials_invalid');
};

/** Returns the webhook of the path for a caller who may fetch from it. */
const openFeed = async (call: FetchCall, deps: FeedDeps): Promise<WebhookRecord> => {
  const { caller, fail } = call;
  const webhook = caller
    ? await decryptWebhook(deps, await findWebhook({ ...call, caller }, deps.store))
    : await webhookByToken(call, deps);
  if (webhook.url !== null) return fail('webhook_has_address');
  return webhook.isEnabled ? webhook : fail('webhook_disabled');
};

/** Confirms deliveries up to `after`, and returns the next ones, or null if another fetch did so at the same time. */
const fetchOnce = async (
  { caller, query: { after, limit }, audited, fail }: FetchCall,
  deps: FeedDeps,
  webhook: WebhookRecord,
): Promise<Awaited<ReturnType<typeof requestsOf>>['requests'] | null> => {
  const { store, now, failpoint } = deps;
  const cursor = await store.feeds.cursor(webhook);
  const confirm = async () =>
    after === undefined ? cursor.given : await confirmUpTo(deps, webhook, cursor.given, after);
  // The receiver itself confirms each delivery, so that only what a user confirms says more than the delivery does.
  const unconfirmed = await (caller ? audited(confirm) : confirm());
  const next = await nextDeliveries(deps, webhook, unconfirmed ?? fail('delivery_not_found'), limit);
  const { requests, lost } = await requestsOf(deps, webhook, next.deliveries, caller !== null);
  const given = next.given.filter(({ id }) => !lost.has(id));
  const isChanged = given.length !== cursor.given.length || given.some(({ id }, at) => id !== cursor.given[at]?.id);
  if (isChanged && !(await store.feeds.recordHandedOut(webhook, cursor, given, now()))) return null;
  failpoint('feed.noted');
  return requests;
};

export const handler = serve(feed, {
  fetchFeed: async (call, deps) => {
    const { store, now, pause } = deps;
    let webhook = await openFeed(call, deps);
    if ((webhook.lastSuccess ?? 0) <= now() - RECORD_EVERY_MS) await store.feeds.recordFetch(webhook, now());
    const end = now() + call.query.wait * 1_000;
    for (;;) {
      const requests = await retryOnConflict(() => fetchOnce(call, deps, webhook));
      if (requests.length > 0 || now() >= end) return requests;
      let isAnyWaiting = false;
      while (now() < end && !isAnyWaiting) {
        await pause(Math.max(0, Math.min(POLL_MS, end - now())));
        isAnyWaiting = now() < end && (await store.feeds.hasPending(webhook));
      }
      if (now() >= end) return [];
      // In the meantime, its token may have been replaced, or the webhook disabled.
      webhook = await openFeed(call, deps);
    }
  },
});
