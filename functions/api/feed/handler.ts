import { decryptWebhook } from '#shared/api/decrypt-webhook.ts';
import { findWebhook } from '#shared/api/find-webhook.ts';
import { bearerToken } from '#shared/api/http/exchange.ts';
import type { Call } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { secretsEqual } from '#shared/auth/tokens.ts';
import { MAX_WAITING } from '#shared/domain/delivery/feed.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { confirmUpTo } from './confirm.ts';
import { feed } from './contract.ts';
import type { FeedDeps } from './deps.ts';
import { nextDeliveries, requestsOf } from './next-deliveries.ts';

type FetchCall = Call<(typeof feed)['operations']['fetchFeed']>;
type Requests = Awaited<ReturnType<typeof requestsOf>>['requests'];

/** How often (ms) a waiting fetch checks for deliveries. Each check costs half a read unit. */
const POLL_MS = 500;
/** How often (ms) the last fetch time is recorded. */
const RECORD_EVERY_MS = 60_000;

/** Returns the webhook in the path if the caller sent the webhook token. */
const webhookByToken = async ({ params, event, fail }: FetchCall, deps: FeedDeps): Promise<WebhookRecord> => {
  const { store } = deps;
  const owner = await store.customers.ownerOf('webhook', params.webhookId);
  const found = owner === null ? null : await store.webhooks.get(owner, params.webhookId);
  const webhook = found && (await decryptWebhook(deps, found));
  return webhook && secretsEqual(bearerToken({ event }) ?? '', webhook.token) ? webhook : fail('credentials_invalid');
};

/** Returns the webhook in the path for a caller who may fetch from it. */
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
): Promise<Requests | null> => {
  const { store, now, failpoint } = deps;
  const cursor = await store.feeds.cursor(webhook);
  const confirm = async () =>
    after === undefined ? cursor.given : await confirmUpTo(deps, webhook, cursor.given, after);
  // Only confirmations by users are audited. Those by the receiver are already recorded in the deliveries.
  const unconfirmed = await (caller ? audited(confirm) : confirm());
  const next = await nextDeliveries(deps, webhook, unconfirmed ?? fail('delivery_not_found'), limit);
  const { requests, lost } = await requestsOf(deps, webhook, next.deliveries, caller !== null);
  const given = next.given.filter(({ id }) => !lost.has(id));
  const isChanged = given.length !== cursor.given.length || given.some(({ id }, at) => id !== cursor.given[at]?.id);
  if (isChanged && !(await store.feeds.recordHandedOut(webhook, cursor, given, now()))) return null;
  failpoint('feed.noted');
  return requests;
};

/** Waits for deliveries until `end` (ms), and returns them. */
const waitForDeliveries = async (
  call: FetchCall,
  deps: FeedDeps,
  webhook: WebhookRecord,
  end: number,
): Promise<Requests> => {
  const { store, now, pause } = deps;
  while (now() < end) {
    await pause(Math.max(0, Math.min(POLL_MS, end - now())));
    if (now() >= end || !(await store.feeds.hasPending(webhook))) continue;
    // While waiting, the token may have been replaced or the webhook disabled.
    const current = await openFeed(call, deps);
    const requests = await retryOnConflict(() => fetchOnce(call, deps, current));
    if (requests.length > 0) return requests;
  }
  return [];
};

export const handler = serve(feed, {
  fetchFeed: async (call, deps) => {
    const { store, now, random } = deps;
    const webhook = await openFeed(call, deps);
    const { lastSuccess = 0 } = webhook;
    if (lastSuccess <= now() - RECORD_EVERY_MS || isFuture(lastSuccess, now()))
      await store.feeds.recordFetch(webhook, now());
    const requests = await retryOnConflict(() => fetchOnce(call, deps, webhook));
    if (requests.length > 0 || call.query.wait === 0) return requests;
    const wait = { id: randomUuid(random), until: now() + call.query.wait * 1_000 };
    if (!(await store.feedWaits.begin(webhook, wait, MAX_WAITING, now()))) return [];
    try {
      return await waitForDeliveries(call, deps, webhook, wait.until);
    } finally {
      if (now() < wait.until) await store.feedWaits.end(webhook, wait.id, now());
    }
  },
});
