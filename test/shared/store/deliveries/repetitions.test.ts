import { describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createHooks, deliveryOf, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { deliveryId, now, some } from '#test/fixtures/store-items.ts';

const LEASE = 31_000;
const key = { customerId: HOME, webhookId: HOOK, id: deliveryId(1) };

/** Creates a pending delivery in a replay. */
const createDelivery = async () => {
  const { its, table, create, hook, read: readDelivery } = await createHooks();
  const replay = { id: 'r', webhookId: HOOK, customerId: HOME, createDate: now, state: 'running', sent: 0, failed: 0 };
  await its.replays.create(some(replay), 1);
  const delivery = await create(1, { replay: replay.id }, true);
  const read = async () => ({
    delivery: await readDelivery(),
    held: (await hook()).held ?? 0,
    counted: await its.replays.get(HOME, HOOK, replay.id),
  });
  return {
    its,
    table,
    read,
    hold: () => its.held.hold(delivery, now),
    claim: (at = now) => claimed(its.attempts.claim(key, at, 'claim-5')),
  };
};
const claimed = async (claim: Promise<Delivery | null>): Promise<Delivery> => {
  const delivery = await claim;
  if (!delivery) throw new Error('nothing was claimed');
  return delivery;
};
const resultOf = (status: number) => ({
  status,
  error: null,
  durationMs: 1,
  responseBody: 'no',
  timings: { dns: null, connect: null, tls: null, firstByte: null },
});
type Original = Awaited<ReturnType<typeof createDelivery>>;

const ended = {
  delivery: { state: 'delivered', reason: 'redelivered', nextAttempt: null },
  held: 0,
  counted: { sent: 1, failed: 0 },
};
const expectEnded = async ({ its, read }: Original) => {
  const found = await read();
  expect(found).toMatchObject(ended);
  for (const name of ['duePk', 'leaseUntil', 'claim', 'heldUntil', 'listPk'])
    expect(found.delivery).not.toHaveProperty(name);
  expect(await its.held.ids({ customerId: HOME, id: HOOK }, 10)).toEqual([]);
  expect(await its.attempts.claim(key, now + LEASE, 'claim-1')).toBeNull();
};

/** How a delivery reaches each open state. */
const openStates: Record<string, (original: Original) => Promise<unknown>> = {
  pending: async () => {},
  retrying: async ({ its, claim }) =>
    its.attempts.recordResult(
      await claim(),
      { result: resultOf(500), next: { state: 'retrying', nextAttempt: now + 9 } },
      now,
      true,
    ),
  held: ({ hold }) => hold(),
  sending: ({ claim }) => claim(),
};

describe('a delivery whose redelivery was accepted', () => {
  test.each(Object.entries(openStates))('a %s original ends as delivered and is counted only once', async (_, open) => {
    const original = await createDelivery();
    const { endOriginal } = original.its.repetitions;
    await open(original);
    expect(await endOriginal(key, now + 5)).toMatchObject(key);
    await expectEnded(original);
    expect((await original.read()).delivery).toMatchObject({ updateDate: now + 5 });
    expect(await endOriginal(key, now + 6)).toBeNull();
    await expectEnded(original);
  });

  test('a finished original still logs the attempt that was in progress', async () => {
    const original = await createDelivery();
    const { its, claim, read } = original;
    const attempt = await claim();
    await its.repetitions.endOriginal(key, now);
    await its.attempts.recordResult(
      attempt,
      { result: resultOf(500), next: { state: 'retrying', nextAttempt: now } },
      now,
      true,
    );
    await expectEnded(original);
    expect((await read()).delivery?.log).toMatchObject([[1, 1, 500, null, [null, null, null, null], 'no']]);
  });

  test('an original logs only the attempt holding the latest claim', async () => {
    const original = await createDelivery();
    const { its, claim, read } = original;
    const first = await claim();
    const second = await claim(now + LEASE);
    await its.repetitions.endOriginal(key, now);
    await its.attempts.recordResult(
      first,
      { result: resultOf(500), next: { state: 'retrying', nextAttempt: now } },
      now,
      true,
    );
    await its.attempts.recordResult(second, { result: resultOf(200), next: { state: 'delivered' } }, now, true);
    await expectEnded(original);
    expect((await read()).delivery?.log?.map(([number]) => number)).toEqual([2]);
  });

  test.each(Object.entries(openStates))('an original ends even if it became %s after it was read', async (_, open) => {
    const original = await createDelivery();
    const { table } = original;
    let isFirst = true;
    const get: Table['get'] = async (...args) => {
      const item = await table.get<never>(...args);
      if (isFirst) await open(original);
      isFirst = false;
      return item;
    };
    expect(await store({ ...table, get }).repetitions.endOriginal(key, now)).not.toBeNull();
    await expectEnded(original);
  });

  test.each(['delivered', 'failed'] as const)('an original that was already %s does not change', async (state) => {
    const { its, claim, read } = await createDelivery();
    const next = state === 'failed' ? { state, reason: 'exhausted' as const } : { state };
    await its.attempts.recordResult(await claim(), { result: resultOf(500), next }, now, true);
    const before = await read();
    expect(await its.repetitions.endOriginal(key, now + 1)).toBeNull();
    expect(await read()).toEqual(before);
  });

  test('an original replaced by a held redelivery ends as delivered, but is counted no further', async () => {
    const { its, hold, read } = await createDelivery();
    await hold();
    const redelivery = deliveryOf(2);
    expect(await its.held.replace(deliveryOf(1, { replay: 'r' }), redelivery, now)).toBe(true);
    await its.held.hold(redelivery, now);
    const before = await read();
    expect(before).toMatchObject({ delivery: { state: 'failed' }, held: 1, counted: { sent: 0, failed: 1 } });
    expect(await its.repetitions.endOriginal(key, now)).toMatchObject(key);
    expect(await read()).toEqual({ ...before, delivery: expect.objectContaining(ended.delivery) });
  });

  test('an original to a person ends as delivered', async () => {
    const { its } = await createHooks();
    await its.deliveries.create(deliveryOf(1, { webhookId: null }), true);
    expect(await its.repetitions.endOriginal({ ...key, webhookId: null }, now)).toMatchObject({ state: 'pending' });
    expect(await its.deliveries.get(HOME, null, key.id)).toMatchObject(ended.delivery);
  });

  test('an original that no longer exists is not created', async () => {
    const { its, read } = await createHooks();
    expect(await its.repetitions.endOriginal(key, now)).toBeNull();
    expect(await read()).toBeNull();
  });

  test('a held original ends as deleted if its webhook was deleted', async () => {
    const { its, table, hold, read } = await createDelivery();
    await hold();
    await table.write({ remove: items.webhook({ customerId: HOME, webhookId: HOOK }) });
    expect(await its.repetitions.endOriginal(key, now)).toBeNull();
    expect(await read()).toMatchObject({ delivery: { state: 'held' }, counted: { sent: 0 } });
    expect(await its.deliveries.end({ ...key, replay: 'r' }, 'deleted', now)).toBe(true);
  });
});
