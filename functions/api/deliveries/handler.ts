import { findWebhook } from '#shared/api/find-webhook.ts';
import { partialListReply } from '#shared/api/http/partial-list.ts';
import { serve } from '#shared/api/serve.ts';
import { attemptLogOf } from '#shared/domain/delivery/attempt.ts';
import {
  DELIVERY_RETENTION,
  type Delivery,
  type Reader,
  type WebhookDelivery,
} from '#shared/domain/delivery/delivery.ts';
import { deliveryView } from '#shared/domain/delivery/delivery-view.ts';
import { isReplayed, redeliveryOf, replayView, spanOf } from '#shared/domain/delivery/replay.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import { mayManage } from '#shared/domain/delivery/webhook-access.ts';
import { formats } from '#shared/domain/formats/formats.ts';
import { DEFAULT_LOCALE, languageOf } from '#shared/domain/identity/language.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { derivedUlid, randomUuid, timeOrderedId } from '#shared/domain/ids.ts';
import { pageOf } from '#shared/domain/page.ts';
import { dateTimeAndZone } from '#shared/domain/time/wall-time.ts';
import type { Log } from '#shared/observability/log.ts';
import { deliverTask } from '#shared/queue/encode.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { deliveries } from './contract.ts';

/** Returns the delivery unless it is past retention. The table may remove expired deliveries late. */
const unlessExpired = (delivery: Delivery | null, now: number): Delivery | null =>
  delivery && delivery.createDate >= now - DELIVERY_RETENTION ? delivery : null;

type PersonCall = { customerId: number; params: { deliveryId: string }; fail: (code: 'delivery_not_found') => never };
/** Returns the person delivery named in the path. */
const findPersonDelivery = async (
  { customerId, params, fail }: PersonCall,
  { store, now }: { store: StoreOf<'deliveries.get'>; now: () => number },
): Promise<Delivery> =>
  unlessExpired(await store.deliveries.get(customerId, null, params.deliveryId), now()) ?? fail('delivery_not_found');

type TimeRange = { since: number | undefined; until: number | undefined };

/** Logs that a queue is unavailable. The sweep finds the delivery in the due index. */
const leaveToSweep = (log: Log) => (error: unknown) => log('warn', 'a delivery is left to the sweep', {}, error);

/** Returns the time range (ms) to list, limited to the retention period. */
const withinRetention = ({ since = 0, until = Number.MAX_SAFE_INTEGER - 1 }: Partial<TimeRange>, now: number) =>
  [Math.max(since, now - DELIVERY_RETENTION), until] as const;

/** Returns the language and time for a test message. Undefined unless people read the messages sent to the webhook. */
const readerOf = async (
  { customerId, botId, format }: WebhookRecord,
  timeZone: string,
  store: StoreOf<'bots.get'>,
  time: number,
): Promise<Reader | undefined> => {
  if (!formats[format].isForPeople || botId === null) return undefined;
  const { locale } = (await store.bots.get(customerId, botId)) ?? { locale: DEFAULT_LOCALE };
  return { language: languageOf(locale), time: dateTimeAndZone(time, timeZone) };
};

export const handler = serve(deliveries, {
  listDeliveries: async ({ query, ...call }, { store, now }) => {
    const { customerId, id } = await findWebhook(call, store);
    const { data, ...page } = await store.deliveryLog.page(customerId, id, withinRetention(query, now()), query);
    return partialListReply({ ...page, data: data.map(deliveryView) }, query);
  },

  listCustomerDeliveries: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const webhooks = await store.webhooks.list(customerId);
    const ids = webhooks.filter((webhook) => mayManage(caller, webhook)).map(({ id }) => id);
    const receivers = hasPermission(caller, 'manage_rules') ? [...ids, null] : ids;
    const { data, ...page } = await store.deliveryLog.pageOfAll(
      customerId,
      receivers,
      withinRetention(query, now()),
      query,
    );
    return partialListReply({ ...page, data: data.map(deliveryView) }, query);
  },

  getPersonDelivery: async (call, deps) => {
    const delivery = await findPersonDelivery(call, deps);
    const { log = [], sendTryTimes, state } = delivery;
    return { ...deliveryView(delivery), attemptLog: attemptLogOf(sendTryTimes, log, new Map(), state === 'sending') };
  },

  getPersonDeliveryMessage: async (call, deps) => {
    // Loaded when a message is first viewed.
    const { notificationText } = await import('#shared/delivery/message.ts');
    const { title, text } = notificationText(await findPersonDelivery(call, deps));
    return { headers: {}, body: `${title}\n\n${text}` };
  },

  redeliverToPerson: async (call, { store, enqueue, now, random, log }) => {
    const original = await findPersonDelivery(call, { store, now });
    const time = now();
    const delivery = redeliveryOf(original, derivedUlid(time, original.id, randomUuid(random)), time, time);
    await store.deliveries.create(delivery, true);
    await enqueue([deliverTask(delivery)]).catch(leaveToSweep(log));
    return { status: 'OK', deliveryId: delivery.id };
  },

  getDelivery: async ({ params, fail, ...call }, { store, now }) => {
    const { customerId, id } = await findWebhook({ params, fail, ...call }, store);
    const found = await store.deliveries.get(customerId, id, params.deliveryId);
    const delivery = unlessExpired(found, now()) ?? fail('delivery_not_found');
    const { log = [], sendTryTimes, state } = delivery;
    const hasStoredBodies = log.some(([, , , , , body]) => body === null);
    const bodies = hasStoredBodies ? await store.deliveries.responseBodies(customerId, id, delivery.id) : new Map();
    return { ...deliveryView(delivery), attemptLog: attemptLogOf(sendTryTimes, log, bodies, state === 'sending') };
  },

  getDeliveryMessage: async ({ params, fail, ...call }, { store, settings, now }) => {
    const webhook = await findWebhook({ params, fail, ...call }, store);
    const { customerId, id: webhookId } = webhook;
    const delivery =
      unlessExpired(await store.deliveries.get(customerId, webhookId, params.deliveryId), now()) ??
      fail('delivery_not_found');
    const { deliveryHeaders, messageUuidInBody, shownBodyOf } = await import('#shared/delivery/message.ts');
    const source = messageUuidInBody(delivery);
    const raw = source === null ? null : await store.events.bytes(customerId, delivery.snapshot.sensor.id, source);
    const isLost = source !== null && raw === null;
    return { headers: deliveryHeaders(settings, delivery), body: isLost ? null : shownBodyOf(delivery, webhook, raw) };
  },

  redeliver: async ({ params, fail, ...call }, { store, enqueue, now, random, log }) => {
    const { customerId, id: webhookId } = await findWebhook({ params, fail, ...call }, store);
    const found =
      unlessExpired(await store.deliveries.get(customerId, webhookId, params.deliveryId), now()) ??
      fail('delivery_not_found');
    const original: WebhookDelivery = { ...found, webhookId };
    const time = now();
    const delivery = redeliveryOf(original, derivedUlid(time, original.id, randomUuid(random)), time, time);
    const isReplaced = original.state === 'held' && (await store.held.replace(original, delivery, time));
    if (!isReplaced) await store.deliveries.create(delivery, true);
    await enqueue([deliverTask(delivery)]).catch(leaveToSweep(log));
    return { status: 'OK', deliveryId: delivery.id };
  },

  testWebhook: async ({ fail, ...call }, { store, enqueue, now, random, settings, log }) => {
    const webhook = await findWebhook({ fail, ...call }, store);
    if (!webhook.isEnabled) return fail('webhook_disabled');
    const id = timeOrderedId(now(), Buffer.from(random(2)).readUInt16BE());
    const customer = await store.customers.get(webhook.customerId);
    const time = now();
    const reader = await readerOf(webhook, customer?.timeZone ?? 'UTC', store, time);
    // Loaded on the first webhook test.
    const [{ serviceFrom }, { testDelivery }] = await Promise.all([
      import('#shared/domain/delivery/snapshot.ts'),
      import('#shared/domain/delivery/test-delivery.ts'),
    ]);
    const context = { service: serviceFrom(settings), customer, event: { id, uuid: randomUuid(random) }, reader };
    const ping = testDelivery(webhook, context, time);
    await store.deliveries.create(ping, true);
    await enqueue([deliverTask(ping)]).catch(leaveToSweep(log));
    return { status: 'OK', deliveryId: ping.id };
  },

  rotateSecret: async ({ body, fail, ...call }, { store, encryptSecret, now }) => {
    const webhook = await findWebhook({ fail, ...call }, store);
    const { secretKey, overlapSeconds } = body;
    const encrypted = secretKey === null ? null : await encryptSecret(secretKey, webhook.id);
    const overlapEnds = overlapSeconds === 0 ? null : now() + overlapSeconds * 1_000;
    const isRotated = await store.secrets.rotate(webhook, encrypted, overlapEnds, now());
    return isRotated ? { status: 'OK' } : fail('webhook_not_found');
  },

  createReplay: async ({ body, fail, ...call }, { store, quotas, enqueue, now, random, log }) => {
    const webhook = await findWebhook({ fail, ...call }, store);
    const { customerId, id: webhookId } = webhook;
    const createDate = now();
    const { since, until, states, ratePerSecond } = body;
    // Counts the deliveries a single request can read. The replay steps find and count the rest.
    const oldest = await store.deliveryLog.oldest(customerId, webhookId, spanOf({ since, until, createDate }));
    const found = oldest.filter((row) => isReplayed({ states }, row)).length;
    const replay = {
      id: randomUuid(random),
      webhookId,
      customerId,
      state: 'running' as const,
      since,
      until,
      states,
      ratePerSecond,
      found,
      made: 0,
      sent: 0,
      failed: 0,
      createDate,
      updateDate: createDate,
      cursor: null,
      isListed: false,
      pacedUntil: createDate,
      step: 0,
    };
    const problem = await store.replays.create(replay, quotas.replays);
    if (problem === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'replays'));
    if (problem === 'webhook_gone') return fail('webhook_not_found');
    await enqueue([{ type: 'step_replay', customerId, webhookId, replayId: replay.id }]).catch(leaveToSweep(log));
    return replayView(replay);
  },

  listReplays: async ({ query, ...call }, { store }) => {
    const replays = await store.replays.current(await findWebhook(call, store));
    return pageOf(replays.map(replayView), query);
  },

  getReplay: async ({ params, fail, ...call }, { store }) => {
    const { customerId, id } = await findWebhook({ params, fail, ...call }, store);
    const replay = await store.replays.get(customerId, id, params.replayId);
    return replay ? replayView(replay) : fail('replay_not_found');
  },

  updateReplay: async ({ params, body, fail, ...call }, { store, enqueue, now, log }) => {
    const { customerId, id: webhookId } = await findWebhook({ params, fail, ...call }, store);
    const replay = (await store.replays.get(customerId, webhookId, params.replayId)) ?? fail('replay_not_found');
    const after = (await store.replays.setPaused(replay, body.isPaused, now())) ?? replay;
    if (after.state === 'running' && !body.isPaused)
      await enqueue([{ type: 'step_replay', customerId, webhookId, replayId: replay.id }]).catch(leaveToSweep(log));
    return replayView(after);
  },

  cancelReplay: async ({ params, fail, ...call }, { store, enqueue, now, log }) => {
    const { customerId, id: webhookId } = await findWebhook({ params, fail, ...call }, store);
    const replay = (await store.replays.get(customerId, webhookId, params.replayId)) ?? fail('replay_not_found');
    if (await store.replays.finish(replay, 'canceled', now()))
      await enqueue([{ type: 'step_replay', customerId, webhookId, replayId: replay.id }]).catch(leaveToSweep(log));
    return { status: 'OK' };
  },
});
