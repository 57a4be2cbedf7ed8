import { describe, expect, test } from 'vitest';
import { LEASE_MS } from '#shared/domain/delivery/breaker.ts';
import { DELIVERY_RETENTION, type Delivery } from '#shared/domain/delivery/delivery.ts';
import { GRACE_MS } from '#shared/store/engine/due.ts';
import { items } from '#shared/store/table.ts';
import { createHooks, deliveryOf, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now, result } from '#test/fixtures/store-items.ts';

/** More than the clocks of two hosts can differ. */
const SET_BACK = 60_000;
const key = (n = 1) => ({ customerId: HOME, webhookId: HOOK, id: deliveryId(n) });
const itemKey = (n = 1) => items.delivery({ customerId: HOME, webhookId: HOOK, deliveryId: deliveryId(n) });
const accepted = { result, next: { state: 'delivered' } } as const;
const claimed = (found: Delivery | null): Delivery => found ?? expect.unreachable('nothing was claimed');

test('a delivery is written only once and expires after the retention time', async () => {
  const { read, create, table } = await createHooks();
  await create(1);
  await create(1, { nextAttempt: now + 5 });
  expect(await read()).toMatchObject({
    ...key(),
    state: 'pending',
    nextAttempt: now,
    snapshot: deliveryOf().snapshot,
  });
  const stored = await table.get(itemKey());
  expect(stored).toMatchObject({ ttl: (now + DELIVERY_RETENTION) / 1_000 });
  expect(stored).not.toHaveProperty('duePk');
  expect([await read(2), await table.get(items.feedLine({ ...key(), time: '', eventId: 1, deliveryId: '' }))]).toEqual([
    null,
    null,
  ]);
});

test('a delivery is due shortly after the next attempt in case the attempt is never queued', async () => {
  const { create, table } = await createHooks();
  await create(1, { nextAttempt: now + 5 }, true);
  await create(2, { nextAttempt: null }, true);
  const dueOf = async (n: number) => Number((await table.get<{ dueAt: string }>(itemKey(n)))?.dueAt);
  expect([await dueOf(1), await dueOf(2)]).toEqual([now + 5 + GRACE_MS, now + GRACE_MS]);
});

test('a delivery to be fetched has no planned attempt and is never due', async () => {
  const { its, table } = await createHooks({ url: null });
  await its.deliveries.createInFeed(deliveryOf());
  const stored = await table.get(itemKey());
  expect(stored).toMatchObject({ state: 'pending', nextAttempt: null });
  expect(stored).not.toHaveProperty('duePk');
});

test('a delivery to a person is listed under the customer', async () => {
  const { its } = await createHooks();
  await its.deliveries.create(deliveryOf(1, { webhookId: null }), false);
  expect(await its.deliveries.get(HOME, null, deliveryId(1))).toMatchObject({
    customerId: HOME,
    webhookId: null,
    id: deliveryId(1),
  });
  expect([
    await its.deliveries.get(HOME, HOOK, deliveryId(1)),
    await its.deliveries.get(HOME + 1, null, deliveryId(1)),
  ]).toEqual([null, null]);
});

test('several deliveries can be read at once by id', async () => {
  const { its, create } = await createHooks();
  for (const n of [1, 2, 3]) await create(n);
  const ids = [1, 2, 3].map(deliveryId);
  const found = await its.deliveries.getAll(HOME, HOOK, [...ids, 'x']);
  expect(found).toMatchObject(ids.toSorted().map((id) => ({ id, customerId: HOME, webhookId: HOOK })));
});

test('a due attempt can be claimed only once', async () => {
  const { its, create, read } = await createHooks();
  await create(1, { nextAttempt: now + 1 });
  const claim = (at: number, name: string) => its.attempts.claim(key(), at, name);
  expect(await claim(now, 'a')).toBeNull();
  expect(await claim(now + 1, 'a')).toMatchObject({ state: 'sending', attempts: 1, sendTryTimes: [now + 1] });
  expect(await claim(now + 1, 'b')).toBeNull();
  // The response to the first claim was lost.
  expect(await claim(now + 1, 'a')).toMatchObject({ attempts: 1 });
  expect(await claim(now + 2, 'a')).toBeNull();
  expect(await read()).toMatchObject({ state: 'sending', attempts: 1 });
  expect(await its.attempts.claim(key(2), now, 'a')).toBeNull();
});

test('an attempt can be taken over after its lease ends or the clock is set back', async () => {
  const { its, create } = await createHooks();
  await create();
  await its.attempts.claim(key(), now, 'a');
  expect(await its.attempts.claim(key(), now + LEASE_MS, 'b')).toBeNull();
  expect(await its.attempts.claim(key(), now + LEASE_MS + 1, 'b')).toMatchObject({ attempts: 2 });
  expect(await its.attempts.claim(key(), now - SET_BACK, 'c')).toMatchObject({ attempts: 3 });
});

test('an attempt can be taken over at once from a process that has already ended', async () => {
  const { its, create } = await createHooks();
  await create();
  await its.attempts.claim(key(), now, 'a');
  expect(await its.attempts.claim(key(), now + 5, 'b', { aloneSince: now })).toBeNull();
  expect(await its.attempts.claim(key(), now + 5, 'b', { aloneSince: now + 1 })).toMatchObject({ attempts: 2 });
});

test('an attempt made early replaces the scheduled one', async () => {
  const { its, create } = await createHooks();
  await create(1, { state: 'retrying', nextAttempt: now + 99 });
  expect(await its.attempts.claim(key(), now, 'a', { insteadOf: now + 98 })).toBeNull();
  expect(await its.attempts.claim(key(), now, 'a', { insteadOf: now + 99 })).toMatchObject({
    attempts: 1,
    earlyAttempts: 1,
  });
  await create(2);
  expect(await its.attempts.claim(key(2), now, 'a')).not.toHaveProperty('earlyAttempts');
});

test('a claimed attempt leaves the due index, even for a feed delivery', async () => {
  const { its, create, table } = await createHooks();
  await create(1, { nextAttempt: null }, true);
  expect(await its.attempts.claim(key(), now, 'a')).not.toBeNull();
  const stored = await table.get(itemKey());
  expect([stored && 'duePk' in stored, stored && 'dueAt' in stored]).toEqual([false, false]);
});

describe('attempt results', () => {
  const attempt = async (fields: object = {}) => {
    const world = await createHooks();
    await world.create(1, fields);
    return { ...world, delivery: claimed(await world.its.attempts.claim(key(), now, 'a')) };
  };
  test('a successful attempt ends the delivery and adds a log line', async () => {
    const { its, delivery, read, table } = await attempt();
    await its.attempts.recordResult(delivery, accepted, now + 9, false);
    const stored = await read();
    expect(stored).toMatchObject({ state: 'delivered', nextAttempt: null, updateDate: now + 9 });
    expect(stored?.log).toEqual([[1, 1, 200, null, expect.anything(), null]]);
    const item = await table.get(itemKey());
    for (const name of ['leaseUntil', 'claim', 'duePk', 'dueAt']) expect(item).not.toHaveProperty(name);
  });

  test('a long response body is stored separately for as long as the delivery', async () => {
    const { its, delivery, table } = await attempt();
    await its.attempts.recordResult(delivery, accepted, now, false);
    expect(await its.deliveries.responseBodies(HOME, HOOK, deliveryId(1))).toEqual(new Map([[1, result.responseBody]]));
    expect(await its.deliveries.responseBodies(HOME, HOOK, deliveryId(2))).toEqual(new Map());
    const body = items.attempt({ customerId: HOME, webhookId: HOOK, deliveryId: deliveryId(1), number: 1 });
    expect(await table.get(body)).toMatchObject({ ttl: (now + DELIVERY_RETENTION) / 1_000 });
    const short = await attempt();
    await short.its.attempts.recordResult(
      short.delivery,
      { ...accepted, result: { ...result, responseBody: 'ok' } },
      now,
      false,
    );
    expect(await short.its.deliveries.responseBodies(HOME, HOOK, deliveryId(1))).toEqual(new Map());
    expect((await short.read())?.log?.[0]?.[5]).toBe('ok');
  });

  test('a retry is scheduled in a queue or in the due index', async () => {
    for (const isQueued of [true, false]) {
      const { its, delivery, table } = await attempt();
      const next = { state: 'retrying', nextAttempt: now + 99, retryAfterDate: now + 50 } as const;
      await its.attempts.recordResult(delivery, { result, next }, now + 9, isQueued);
      const item = await table.get(itemKey());
      expect(item).toMatchObject({
        state: 'retrying',
        nextAttempt: now + 99,
        retryAfterDate: now + 50,
        updateDate: now + 9,
      });
      expect(item).not.toHaveProperty('leaseUntil');
      expect((item as { dueAt?: string }).dueAt).toEqual(isQueued ? undefined : String(now + 99).padStart(16, '0'));
    }
  });

  test('a failed attempt records the reason and counts in the replay', async () => {
    const { its, delivery, read, table } = await attempt({ replay: 'r' });
    const replay = items.replay({ customerId: HOME, webhookId: HOOK, replayId: 'r' });
    await its.attempts.recordResult(delivery, { result, next: { state: 'failed', reason: 'gone' } }, now + 9, false);
    expect(await read()).toMatchObject({ state: 'failed', reason: 'gone', nextAttempt: null });
    expect(await table.get(replay)).toMatchObject({ failed: 1, updateDate: now + 9 });
    const sent = await attempt({ replay: 'r' });
    await sent.its.attempts.recordResult(sent.delivery, accepted, now, false);
    expect(await sent.table.get(replay)).toMatchObject({ sent: 1 });
    const retried = await attempt({ replay: 'r' });
    await retried.its.attempts.recordResult(
      retried.delivery,
      { result, next: { state: 'retrying', nextAttempt: now } },
      now,
      false,
    );
    expect(await retried.table.get(replay)).toBeNull();
  });

  test('an attempt result is ignored if another attempt has started', async () => {
    const { its, delivery, read } = await attempt();
    const later = claimed(await its.attempts.claim(key(), now + LEASE_MS + 1, 'b'));
    await its.attempts.recordResult(delivery, accepted, now, false);
    expect(await read()).toMatchObject({ state: 'sending', attempts: 2 });
    expect(await read()).not.toHaveProperty('log');
    await its.attempts.recordResult(later, accepted, now, false);
    expect((await read())?.log).toHaveLength(1);
  });

  test('an attempt result only adds a log line if a redelivery has already been accepted', async () => {
    const { its, delivery, read } = await attempt();
    expect(await its.repetitions.endOriginal(key(), now + 5)).toMatchObject({ state: 'sending' });
    await its.attempts.recordResult(delivery, { result, next: { state: 'failed', reason: 'gone' } }, now + 9, false);
    const stored = await read();
    expect(stored).toMatchObject({ state: 'delivered', reason: 'redelivered', updateDate: now + 9 });
    expect(stored?.log).toHaveLength(1);
    expect(await its.repetitions.endOriginal(key(), now + 6)).toBeNull();
  });
});

describe('delivered notifications', () => {
  test('a delivered notification becomes undeliverable if the service later reports it as such', async () => {
    const { its, create, read } = await createHooks();
    await create();
    await its.attempts.recordResult(claimed(await its.attempts.claim(key(), now, 'a')), accepted, now + 1, false);
    const delivered = (await read()) ?? deliveryOf();
    expect(await its.attempts.recordUndeliverable({ ...delivered, updateDate: now }, 'no such number', now + 2)).toBe(
      false,
    );
    expect(await its.attempts.recordUndeliverable(delivered, 'no such number', now + 2)).toBe(true);
    const stored = await read();
    expect(stored).toMatchObject({ state: 'failed', reason: 'undeliverable', updateDate: now + 2 });
    expect(stored?.log).toEqual([[1, 1, 200, 'undeliverable', expect.anything(), 'no such number']]);
    expect(await its.attempts.recordUndeliverable(stored ?? delivered, 'again', now + 3)).toBe(false);
  });
});

test('the next attempt cannot be moved if its time has changed since it was read', async () => {
  const { its, create, read, table } = await createHooks();
  await create(1, { nextAttempt: now + 9, retryAfterDate: now + 9 });
  expect(await its.attempts.replan(key(), now + 8, now + 1, now)).toBe(false);
  expect(await its.attempts.replan(key(), now + 9, now + 1, now + 3)).toBe(true);
  const stored = await read();
  expect(stored).toMatchObject({ nextAttempt: now + 1, updateDate: now + 3, state: 'pending' });
  expect(stored).not.toHaveProperty('retryAfterDate');
  expect(Number((await table.get<{ dueAt: string }>(itemKey()))?.dueAt)).toBe(now + 1);
  await its.attempts.claim(key(), now + 1, 'a');
  expect(await its.attempts.replan(key(), now + 1, now + 5, now)).toBe(false);
});

test('the next attempt can be postponed only when it is due and not in progress', async () => {
  const { its, create, read, table } = await createHooks();
  await create(1, { nextAttempt: now + 1 });
  expect(await its.attempts.postpone(key(), now + 50, now, true)).toBe(false);
  expect(await its.attempts.postpone(key(), now + 50, now + 1, true)).toBe(true);
  expect(await read()).toMatchObject({ nextAttempt: now + 50, updateDate: now + 1 });
  expect(await table.get(itemKey())).not.toHaveProperty('duePk');
  expect(await its.attempts.postpone(key(), now + 90, now + 50, false)).toBe(true);
  expect(await table.get(itemKey())).toHaveProperty('duePk');
  await create(2, { nextAttempt: null });
  expect(await its.attempts.postpone(key(2), now + 50, now, true)).toBe(true);
  await its.attempts.claim(key(2), now + 50, 'a');
  expect(await its.attempts.postpone(key(2), now + 90, now + 60, true)).toBe(false);
});

test.each(['pending', 'retrying'])('a %s delivery can be moved, postponed and canceled', async (state) => {
  const { its, create, read } = await createHooks();
  await create(1, { state });
  expect(await its.attempts.replan(key(), now, now + 5, now)).toBe(true);
  expect(await its.attempts.postpone(key(), now + 9, now + 5, true)).toBe(true);
  expect(await read()).toMatchObject({ state, nextAttempt: now + 9 });
  expect(await its.deliveries.end(key(), 'canceled', now + 6)).toBe(true);
});

test('a queued task is kept as long as nothing else would trigger the attempt', async () => {
  const { its, create } = await createHooks();
  const untilOf = async (n: number) => (await its.deliveries.getQueued(key(n))).until;
  await create(1, { nextAttempt: now + 5 });
  await create(2, { nextAttempt: now + 5 }, true);
  await create(3, { state: 'retrying', nextAttempt: null });
  await create(4, { state: 'delivered' });
  await create(5, { nextAttempt: null });
  expect([await untilOf(1), await untilOf(2), await untilOf(3), await untilOf(4), await untilOf(5)]).toEqual([
    now + 5,
    null,
    0,
    null,
    0,
  ]);
  await its.attempts.claim(key(1), now + 5, 'a');
  expect(await untilOf(1)).toBe(now + 5 + LEASE_MS + 1);
  expect(await its.deliveries.getQueued(key(9))).toEqual({ delivery: null, until: null });
});

test('a delivery cannot be canceled while being sent or held, or after it has ended', async () => {
  const { its, create, read } = await createHooks();
  const end = (n: number, reason: 'canceled' | 'deleted', at = now) => its.deliveries.end(key(n), reason, at);
  await create(1);
  await create(2, { state: 'held' });
  await create(3);
  await its.attempts.claim(key(3), now, 'a');
  expect([
    await end(1, 'canceled', now + 2),
    await end(1, 'canceled'),
    await end(2, 'canceled'),
    await end(3, 'canceled'),
  ]).toEqual([true, false, false, false]);
  expect(await read(1)).toMatchObject({
    state: 'failed',
    reason: 'canceled',
    nextAttempt: null,
    updateDate: now + 2,
  });
  expect([await end(2, 'deleted'), await end(3, 'deleted'), await end(1, 'deleted')]).toEqual([true, false, false]);
  // The claiming process has died.
  expect([await end(3, 'deleted', now + LEASE_MS), await end(3, 'deleted', now + LEASE_MS + 1)]).toEqual([false, true]);
});

test('a delivery that ends without an attempt counts as failed in the replay', async () => {
  const { its, create, table } = await createHooks();
  await create(1, { replay: 'r' });
  await its.deliveries.end({ ...key(), replay: 'r' }, 'canceled', now);
  expect(await table.get(items.replay({ customerId: HOME, webhookId: HOOK, replayId: 'r' }))).toMatchObject({
    failed: 1,
  });
});

test('a delivery outside a replay counts in no replay', async () => {
  const { its, create, table } = await createHooks();
  await create();
  expect(await its.deliveries.end(key(), 'canceled', now)).toBe(true);
  const pk = items.replay.pk({ customerId: HOME, webhookId: HOOK });
  expect(await table.queryAll({ pk, beginsWith: items.replay.sk({ replayId: '' }) })).toEqual([]);
});

test("a webhook's deliveries in a time range are read oldest first, page by page", async () => {
  const { its, create } = await createHooks();
  for (const n of [1, 2, 3]) await create(n);
  const ids = [1, 2, 3].map(deliveryId).toSorted();
  const range = async (times: [number, number], more: object = {}) => {
    const { page, next } = await its.deliveries.range(HOME, HOOK, times, more);
    for (const delivery of page) expect(delivery).toMatchObject({ customerId: HOME, webhookId: HOOK });
    return [page.map(({ id }) => ids.indexOf(id)), next === undefined ? next : ids.indexOf(next)];
  };
  expect(await range([now, now])).toEqual([[0, 1, 2], undefined]);
  expect(await range([now, now], { limit: 1 })).toEqual([[0], 0]);
  expect(await range([now, now], { limit: 2 })).toEqual([[0, 1], 1]);
  expect(await range([now, now], { limit: 2, startAfter: ids[1] })).toEqual([[2], undefined]);
  expect([await range([now + 1, now]), await range([now + 1, now + 9]), await range([now - 9, now - 1])]).toEqual(
    Array(3).fill([[], undefined]),
  );
});
