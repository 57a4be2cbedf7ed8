import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '#shared/domain/delivery/delivery.ts';
import { derivedUlid } from '#shared/domain/ids.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { bareSnapshot } from '#test/fixtures/snapshot.ts';

const customerId = 7;
const now = 1_800_000_000_000;
const LEASE = 31_000;
/** A partial object with the fields read by the store. */
const some = (fields: object) => fields as never;

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  await its.customers.create(some({ id: customerId }));
  await its.bots.create(some({ id: 1, customerId }), 100);
});
afterAll(() => engine.stop());

let created = 0;
/** Creates a pending delivery in a replay, for a new webhook. */
const createDelivery = async () => {
  const webhookId = `00000000-0000-4000-8000-${String(++created).padStart(12, '0')}`;
  await its.webhooks.create(some({ id: webhookId, customerId, botId: 1, format: 'full', isEnabled: true }), 50);
  const replay = { id: webhookId, webhookId, customerId, createDate: now, state: 'running', sent: 0, failed: 0 };
  await its.replays.create(some(replay), 1);
  const key = { customerId, webhookId, id: derivedUlid(now, created) };
  const pending = {
    createDate: now,
    nextAttempt: now,
    state: 'pending',
    attempts: 0,
    sendTryTimes: [],
    snapshot: bareSnapshot,
  };
  const delivery = { ...key, ...pending, replay: replay.id };
  await its.deliveries.create(some(delivery), true);
  const read = async () => ({
    delivery: await its.deliveries.get(customerId, webhookId, key.id),
    held: (await its.webhooks.get(customerId, webhookId))?.held ?? 0,
    counted: await its.replays.get(customerId, webhookId, replay.id),
  });
  return {
    key,
    read,
    hold: () => its.held.hold(some(delivery), now),
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
const expectEnded = async ({ read, key }: Original) => {
  const found = await read();
  expect(found).toMatchObject(ended);
  for (const name of ['duePk', 'leaseUntil', 'claim', 'heldUntil', 'listPk'])
    expect(found.delivery).not.toHaveProperty(name);
  expect(await its.held.ids({ customerId, id: key.webhookId }, 10)).toEqual([]);
  expect(await its.attempts.claim(key, now + LEASE, 'claim-1')).toBeNull();
};

/** How a delivery reaches each open state. */
const openStates: Record<string, (original: Original) => Promise<unknown>> = {
  pending: async () => {},
  retrying: async ({ claim }) =>
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
    await open(original);
    expect(await its.repetitions.endOriginal(original.key, now)).toMatchObject({ id: original.key.id });
    await expectEnded(original);
    expect(await its.repetitions.endOriginal(original.key, now)).toBeNull();
    await expectEnded(original);
  });

  test('a finished original still logs the attempt that was in progress', async () => {
    const original = await createDelivery();
    const attempt = await original.claim();
    await its.repetitions.endOriginal(original.key, now);
    await its.attempts.recordResult(
      attempt,
      { result: resultOf(500), next: { state: 'retrying', nextAttempt: now } },
      now,
      true,
    );
    await expectEnded(original);
    expect((await original.read()).delivery?.log).toMatchObject([[1, 1, 500, null, [null, null, null, null], 'no']]);
  });

  test('an original logs only the attempt holding the latest claim', async () => {
    const original = await createDelivery();
    const first = await original.claim();
    const second = await original.claim(now + LEASE);
    await its.repetitions.endOriginal(original.key, now);
    await its.attempts.recordResult(
      first,
      { result: resultOf(500), next: { state: 'retrying', nextAttempt: now } },
      now,
      true,
    );
    await its.attempts.recordResult(second, { result: resultOf(200), next: { state: 'delivered' } }, now, true);
    await expectEnded(original);
    expect((await original.read()).delivery?.log?.map(([number]) => number)).toEqual([2]);
  });

  test.each(Object.entries(openStates))('an original ends even if it became %s after it was read', async (_, open) => {
    const original = await createDelivery();
    let isFirst = true;
    const get: Table['get'] = async (...args) => {
      const item = await engine.plain.get<never>(...args);
      if (isFirst) await open(original);
      isFirst = false;
      return item;
    };
    expect(await store({ ...engine.plain, get }).repetitions.endOriginal(original.key, now)).not.toBeNull();
    await expectEnded(original);
  });

  test.each(['delivered', 'failed'] as const)('an original that was already %s does not change', async (state) => {
    const original = await createDelivery();
    const next = state === 'failed' ? { state, reason: 'exhausted' as const } : { state };
    await its.attempts.recordResult(await original.claim(), { result: resultOf(500), next }, now, true);
    const before = await original.read();
    expect(await its.repetitions.endOriginal(original.key, now + 1)).toBeNull();
    expect(await original.read()).toEqual(before);
  });

  test('a held original ends as deleted if its webhook was deleted', async () => {
    const original = await createDelivery();
    await original.hold();
    await engine.plain.write({ remove: items.webhook({ customerId, webhookId: original.key.webhookId }) });
    expect(await its.repetitions.endOriginal(original.key, now)).toBeNull();
    expect(await original.read()).toMatchObject({ delivery: { state: 'held' }, counted: { sent: 0 } });
    expect(await its.deliveries.end({ ...original.key, replay: original.key.webhookId }, 'deleted', now)).toBe(true);
  });
});
