import { expect, test } from 'vitest';
import { DELIVERY_RETENTION } from '#shared/domain/delivery/delivery.ts';
import { feedLineKey } from '#shared/store/deliveries/delivery-item.ts';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { createHooks, deliveryOf, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now, some } from '#test/fixtures/store-items.ts';

/** More than the clocks of two hosts can differ. */
const SET_BACK = 60_000;
const key = (n = 1) => ({ customerId: HOME, webhookId: HOOK, id: deliveryId(n) });
const itemKey = (n = 1) => items.delivery({ customerId: HOME, webhookId: HOOK, deliveryId: deliveryId(n) });

test('feed deliveries are fetched in order and never posted', async () => {
  const { its, read, hook } = await createHooks({ url: null });
  expect(await its.feeds.hasPending(await hook())).toBe(false);
  for (const n of [1, 2])
    await its.deliveries.createInFeed(
      deliveryOf(n, {
        snapshot: { ...deliveryOf().snapshot, event: { ...deliveryOf().snapshot.event, id: 10 - n } },
      }),
    );
  expect(await read()).toMatchObject({ state: 'pending', nextAttempt: null });
  expect(await its.feeds.pendingIds(await hook(), 9)).toEqual([deliveryId(2), deliveryId(1)]);
  expect(await its.feeds.pendingIds(await hook(), 1)).toEqual([deliveryId(2)]);
  expect(await its.feeds.hasPending(await hook())).toBe(true);
});

test('alarms about people are posted first once a feed gets a URL', async () => {
  const { its, hook, table } = await createHooks({ url: null });
  const { snapshot } = deliveryOf();
  const at = (id: number, action: string) => ({ snapshot: { ...snapshot, event: { ...snapshot.event, id, action } } });
  const [other, alarm, older] = [
    deliveryOf(1, at(1, 'standing_up')),
    deliveryOf(2, at(2, 'fall_detected')),
    deliveryOf(3, at(3, 'fall_detected')),
  ];
  for (const delivery of [other, alarm, older]) await its.deliveries.createInFeed(delivery);
  const ids = [alarm.id, older.id, other.id];
  expect(await its.feeds.idsToPost(await hook(), 9)).toEqual(ids);
  expect(await its.feeds.idsToPost(await hook(), 1)).toEqual(ids.slice(0, 1));
  // Writes the line as an earlier version of the code did.
  await table.write({ put: feedLineKey(older) });
  expect(await its.feeds.idsToPost(await hook(), 9)).toEqual([alarm.id, other.id, older.id]);
});

test('a feed delivery can be acknowledged only once', async () => {
  const { its, read, hook, table } = await createHooks({ url: null });
  await its.deliveries.createInFeed(deliveryOf(1, { replay: 'r' }));
  const delivery = (await read()) ?? deliveryOf();
  expect(await its.feeds.acknowledge(delivery, now + 1, now + 2)).toBe(true);
  const stored = await read();
  expect(stored).toMatchObject({ state: 'delivered', attempts: 1, sendTryTimes: [now + 1], updateDate: now + 2 });
  expect(stored?.log).toHaveLength(1);
  expect(await its.feeds.pendingIds(await hook(), 9)).toEqual([]);
  expect(await table.get(items.replay({ customerId: HOME, webhookId: HOOK, replayId: 'r' }))).toMatchObject({
    sent: 1,
  });
  expect(await its.feeds.acknowledge(delivery, now + 1, now + 2)).toBe(false);
});

test('an expired feed delivery ends only once and leaves the feed', async () => {
  const { its, read, hook, table } = await createHooks({ url: null });
  await its.deliveries.createInFeed(deliveryOf(1, { replay: 'r' }));
  const delivery = (await read()) ?? deliveryOf();
  expect([await its.feeds.end(delivery, 'expired', now + 2), await its.feeds.end(delivery, 'canceled', now)]).toEqual([
    true,
    false,
  ]);
  expect(await read()).toMatchObject({ state: 'failed', reason: 'expired', nextAttempt: null, updateDate: now + 2 });
  expect([
    await its.feeds.hasPending(await hook()),
    await table.get(items.replay({ customerId: HOME, webhookId: HOOK, replayId: 'r' })),
  ]).toMatchObject([false, { failed: 1 }]);
});

test('a feed delivery can be moved to posting and back, unless it is being sent', async () => {
  const { its, create, read, hook, table } = await createHooks();
  const delivery = await create(1, { nextAttempt: now }, true);
  expect(await its.feeds.moveToFeed(delivery, now)).toBe(true);
  expect([await read(), await its.feeds.hasPending(await hook())]).toMatchObject([{ nextAttempt: null }, true]);
  expect(await table.get(itemKey())).not.toHaveProperty('duePk');
  expect(await its.feeds.moveToPost(delivery, now + 5, now + 1)).toBe(true);
  expect([await read(), await its.feeds.hasPending(await hook())]).toMatchObject([
    { nextAttempt: now + 5, updateDate: now + 1 },
    false,
  ]);
  expect(Number((await table.get<{ dueAt: string }>(itemKey()))?.dueAt)).toBe(now + 5 + GRACE_MS);
  await its.attempts.claim(key(), now + 5, 'a');
  expect([await its.feeds.moveToFeed(delivery, now + 6), await its.feeds.moveToPost(delivery, now, now + 6)]).toEqual([
    false,
    false,
  ]);
  await its.deliveries.createInFeed(deliveryOf(2));
  await its.feeds.removeFromFeed(deliveryOf(2));
  expect(await its.feeds.hasPending(await hook())).toBe(false);
});

test('a feed delivery is returned to only one reader at a time', async () => {
  const { its, hook, table } = await createHooks({ url: null });
  const webhook = await hook();
  const start = await its.feeds.cursor(webhook);
  expect(start).toEqual({ given: [], version: 0 });
  const given = [some({ id: 'd', at: now })];
  expect([
    await its.feeds.recordHandedOut(webhook, start, given, now),
    await its.feeds.recordHandedOut(webhook, start, [], now),
  ]).toEqual([true, false]);
  const cursor = await its.feeds.cursor(webhook);
  expect(cursor).toMatchObject({ given, version: 1 });
  expect([
    await its.feeds.recordHandedOut(webhook, cursor, [], now),
    await its.feeds.recordHandedOut(webhook, cursor, given, now),
  ]).toEqual([true, false]);
  expect(await table.get(items.feedCursor({ customerId: HOME, webhookId: HOOK }))).toMatchObject({
    version: 2,
    ttl: (now + DELIVERY_RETENTION) / 1_000,
  });
});

test('a webhook counts as failing while its feed is not fetched', async () => {
  const { its, hook, table } = await createHooks({ url: null });
  expect(await its.feeds.recordNoFetch(await hook(), now)).toBe(true);
  expect(await hook()).toMatchObject({ failingSince: now, consecutiveFailures: 1 });
  expect(await its.feeds.recordNoFetch(await hook(), now)).toBe(false);
  const before = await hook();
  await its.feeds.recordFetch(before, now + 5);
  expect(await its.feeds.recordNoFetch(before, now)).toBe(false);
  const fetched = await hook();
  expect(fetched).toMatchObject({ lastSuccess: now + 5, consecutiveFailures: 0 });
  expect(fetched).not.toHaveProperty('failingSince');
  const hookKey = items.webhook({ customerId: HOME, webhookId: HOOK });
  const dueOf = async () => Number((await table.get<{ dueAt: string }>(hookKey))?.dueAt);
  expect(await dueOf()).toBe(now + 5 + 600_000);
  expect(await its.feeds.recordNoFetch(fetched, now + 9)).toBe(true);
  await table.write({ put: { ...(await hook()), held: 1, ...hookKey } });
  await its.feeds.recordFetch(await hook(), now + 10);
  expect([await hook(), await dueOf()]).toMatchObject([{ lastSuccess: now + 10 }, now + 5 + 600_000]);
  await its.feeds.recordFetch({ customerId: HOME, id: 'x' }, now);
  expect(await its.webhooks.get(HOME, 'x')).toBeNull();
});

test('waiting fetches are limited per webhook and per customer', async () => {
  const { its, table } = await createHooks({ url: null });
  const feed = (id: string) => ({ customerId: HOME, id });
  const most = { ofFeed: 2, ofCustomer: 3 };
  const begin = (id: string, of: string, at = now) =>
    its.feedWaits.begin(feed(of), { id, until: at + 20_000 }, most, at);
  expect([
    await begin('1', 'w'),
    await begin('2', 'w'),
    await begin('3', 'w'),
    await begin('4', 'v'),
    await begin('5', 'u'),
  ]).toEqual([true, true, false, true, false]);
  await its.feedWaits.end(feed('w'), '9', now);
  expect(await begin('5', 'u')).toBe(false);
  await its.feedWaits.end(feed('w'), '1', now);
  expect([await begin('5', 'u'), await begin('6', 'w', now + 19_999), await begin('6', 'w', now + 20_000)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(await table.get(items.feedWaits({ customerId: HOME }))).toMatchObject({
    waits: [{ id: '6', webhookId: 'w' }],
    ttl: (now + 40_000) / 1_000 + 60,
  });
  // Fetches with a later time began before the clock was set back, so they do not count.
  expect([
    await begin('7', 'w', now - SET_BACK),
    await begin('8', 'w', now - SET_BACK),
    await begin('9', 'w', now - SET_BACK),
  ]).toEqual([true, true, false]);
});

test('waiting fetches stay within the limits even if they start at the same time', async () => {
  const { its } = await createHooks({ url: null });
  const most = { ofFeed: 2, ofCustomer: 9 };
  const began = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      its.feedWaits.begin({ customerId: HOME, id: HOOK }, { id: String(n), until: now + 9 }, most, now),
    ),
  );
  expect(began.filter(Boolean)).toHaveLength(2);
});
