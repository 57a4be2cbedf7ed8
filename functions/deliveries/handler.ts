import { serve } from '../../shared/api/serve.ts';
import { logOf } from '../../shared/domain/attempt.ts';
import { type Delivery, KEPT } from '../../shared/domain/delivery.ts';
import { type DeliveryView, deliveryView } from '../../shared/domain/delivery-view.ts';
import { derivedUlid, randomUuid, timeOrderedId } from '../../shared/domain/ids.ts';
import { pageOf, sorted } from '../../shared/domain/page.ts';
import type { Caller } from '../../shared/domain/permission.ts';
import { pingOf } from '../../shared/domain/ping.ts';
import { again, replayView, spanOf, takes } from '../../shared/domain/replay.ts';
import type { WebhookRecord } from '../../shared/domain/webhook.ts';
import { mayManage } from '../../shared/domain/webhook-access.ts';
import type { StoreOf } from '../../shared/store/store.ts';
import { deliveries } from './contract.ts';

type Fail = (code: 'webhook_not_found' | 'forbidden') => never;
type Place = { caller: Caller; customerId: number; params: { webhookId: string }; fail: Fail };

/** The webhook of the path, if the caller may manage it. */
const webhookOf = async (
  { caller, customerId, params, fail }: Place,
  store: StoreOf<'webhooks.get'>,
): Promise<WebhookRecord> => {
  const webhook = (await store.webhooks.get(customerId, params.webhookId)) ?? fail('webhook_not_found');
  return mayManage(caller, webhook) ? webhook : fail('forbidden');
};

/** A delivery that is kept: by its date, not by what expiry has removed already. */
const kept = (delivery: Delivery | null, now: number): Delivery | null =>
  delivery && delivery.createDate >= now - KEPT ? delivery : null;

/** All deliveries of a span of time that fit, page by page. */
const collect = async <T>(
  { deliveries }: StoreOf<'deliveries.range'>,
  { customerId, id }: WebhookRecord,
  span: readonly [number, number],
  pick: (delivery: Delivery) => T | null,
): Promise<T[]> => {
  const found: T[] = [];
  let next: string | undefined;
  do {
    const one = await deliveries.range(customerId, id, span, next);
    for (const delivery of one.page) {
      const picked = pick(delivery);
      if (picked !== null) found.push(picked);
    }
    next = one.next;
  } while (next);
  return found;
};

export const handler = serve(deliveries, {
  listDeliveries: async ({ query, ...call }, { store, now }) => {
    const webhook = await webhookOf(call, store);
    const { state, since = 0, until = Number.MAX_SAFE_INTEGER } = query;
    const oldest = now() - KEPT;
    const all = await collect(store, webhook, [Math.max(since, oldest), until], (one): DeliveryView | null =>
      one.createDate < oldest || (state && one.state !== state) ? null : deliveryView(one),
    );
    return pageOf(sorted(all, query.sortBy), query);
  },

  getDelivery: async ({ params, fail, ...call }, { store, now }) => {
    const { customerId, id } = await webhookOf({ params, fail, ...call }, store);
    const found = await store.deliveries.get(customerId, id, params.deliveryId);
    const delivery = kept(found, now()) ?? fail('delivery_not_found');
    const { log = [], sendTryTimes, state } = delivery;
    const isSomewhereElse = log.some(([, , , , , body]) => body === null);
    const bodies = isSomewhereElse ? await store.deliveries.bodies(customerId, id, delivery.id) : new Map();
    return { ...deliveryView(delivery), attemptLog: logOf(sendTryTimes, log, bodies, state === 'sending') };
  },

  redeliver: async ({ params, fail, ...call }, { store, ringDeliveries, now, random }) => {
    const { customerId: c, id: w } = await webhookOf({ params, fail, ...call }, store);
    const original = kept(await store.deliveries.get(c, w, params.deliveryId), now()) ?? fail('delivery_not_found');
    const time = now();
    const delivery = again(original, derivedUlid(time, original.id, randomUuid(random)), time, time);
    const isReplaced = original.state === 'held' && (await store.held.replace(original, delivery, time));
    if (!isReplaced) await store.deliveries.create(delivery);
    await ringDeliveries([{ c, w, d: delivery.id }]);
    return { status: 'OK', deliveryId: delivery.id };
  },

  testWebhook: async ({ fail, ...call }, { store, ringDeliveries, now, random }) => {
    const webhook = await webhookOf({ fail, ...call }, store);
    if (!webhook.isEnabled) return fail('webhook_disabled');
    const { customerId: c, id: w } = webhook;
    const id = timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE());
    const ping = pingOf(webhook, await store.customers.get(c), { id, uuid: randomUuid(random) }, now());
    await store.deliveries.create(ping);
    await ringDeliveries([{ c, w, d: ping.id }]);
    return { status: 'OK', deliveryId: ping.id };
  },

  rotateSecret: async ({ body, fail, ...call }, { store, sealSecret, now }) => {
    const webhook = await webhookOf({ fail, ...call }, store);
    const { secretKey, overlapSeconds } = body;
    const sealed = secretKey === null ? null : await sealSecret(secretKey, webhook.id);
    const overlapEnds = overlapSeconds === 0 ? null : now() + overlapSeconds * 1_000;
    const isThere = await store.secrets.rotate(webhook, sealed, overlapEnds, now());
    return isThere ? { status: 'OK' } : fail('webhook_not_found');
  },

  createReplay: async ({ body, fail, ...call }, { store, ringRetries, now, random }) => {
    const webhook = await webhookOf({ fail, ...call }, store);
    const { customerId, id: webhookId } = webhook;
    const createDate = now();
    const { since, until, states, ratePerSecond } = body;
    const fitting = await collect(store, webhook, spanOf({ since, until, createDate }), (one) =>
      takes({ states }, one) ? one.id : null,
    );
    const replay = {
      ...{ id: randomUuid(random), webhookId, customerId, state: 'running' as const, since, until, states },
      ...{ ratePerSecond, found: fitting.length, made: 0, sent: 0, failed: 0, createDate, updateDate: createDate },
      ...{ cursor: null, isListed: false, pacedUntil: createDate, step: 0 },
    };
    if (!(await store.replays.create(replay))) return fail('webhook_not_found');
    await ringRetries([{ c: customerId, w: webhookId, j: replay.id }], 0);
    return replayView(replay);
  },

  getReplay: async ({ params, fail, ...call }, { store }) => {
    const { customerId, id } = await webhookOf({ params, fail, ...call }, store);
    const replay = await store.replays.get(customerId, id, params.replayId, true);
    return replay ? replayView(replay) : fail('replay_not_found');
  },

  cancelReplay: async ({ params, fail, ...call }, { store, ringRetries, now }) => {
    const { customerId: c, id: w } = await webhookOf({ params, fail, ...call }, store);
    const replay = (await store.replays.get(c, w, params.replayId)) ?? fail('replay_not_found');
    if (await store.replays.finish(replay, 'canceled', now())) await ringRetries([{ c, w, j: replay.id }], 0);
    return { status: 'OK' };
  },
});
