import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEASE_MS } from '#shared/domain/delivery/breaker.ts';
import type { WebhookRecord } from '#shared/domain/delivery/webhook.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { changes, where } from '#shared/store/engine/request.ts';
import { type Store, store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';

const customerId = 7;
const now = 1_800_000_000_000;
/** A partial object with the fields read by the store. */
const some = (fields: object) => fields as never;

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
/** The same store, but each update loses its response and is retried. */
let lossy: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  const update: Table['update'] = async (...args) => {
    await engine.plain.update(...args);
    return engine.plain.update(...args);
  };
  lossy = store({ ...engine.plain, update });
  await its.customers.create(some({ id: customerId }));
  await its.bots.create(some({ id: 1, customerId }), 100);
});
afterAll(() => engine.stop());

let created = 0;
const createWebhook = async (fields: object = {}) => {
  const id = `w${++created}`;
  await its.webhooks.create(some({ id, customerId, botId: 1, format: 'full', url: 'u', ...fields }), 100);
  const read = async (): Promise<WebhookRecord> => (await its.webhooks.get(customerId, id)) ?? expect.unreachable();
  return { key: items.webhook({ customerId, webhookId: id }), read };
};

const search = { slots: 1, first: 0, isProbe: false, aloneSince: 0 };
const lease = { slot: 'slot0', until: now + LEASE_MS, token: 'mine' } as const;

test('takeSlot recognizes its own lease after a lost response', async () => {
  const { read } = await createWebhook();
  expect(await lossy.health.takeSlot(await read(), now, { ...search, token: 'mine' })).toEqual(lease);
});

test('takeSlot leases a slot to only one of two callers in the same millisecond', async () => {
  const { read } = await createWebhook();
  const webhook = await read();
  const take = (token: string) => its.health.takeSlot(webhook, now, { ...search, token });
  expect([await take('mine'), await take('other'), await take('mine')]).toEqual([lease, null, lease]);
});

test('takeSlot leases the probe to only one of two callers in the same millisecond', async () => {
  const { read } = await createWebhook({ openUntil: now });
  const webhook = await read();
  const probe = (token: string) =>
    its.health.takeSlot(webhook, now, { ...search, slots: 5, first: token.length, isProbe: true, token });
  expect([await probe('mine'), await probe('other'), await probe('mine')]).toEqual([
    { ...lease, slot: 'slot4' },
    null,
    { ...lease, slot: 'slot4' },
  ]);
  expect(await read()).toMatchObject({ probeUntil: lease.until, probeUntilToken: 'mine' });
});

test('renewSlot renews a lease until another caller has the slot, even after a lost response', async () => {
  const { read } = await createWebhook();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  const renewed = await lossy.health.renewSlot(await read(), lease, now + 1);
  expect(renewed).toEqual({ ...lease, until: now + 1 + LEASE_MS });
  const later = now + 2 * LEASE_MS;
  await its.health.takeSlot(await read(), later, { ...search, token: 'other' });
  expect(renewed && (await its.health.renewSlot(await read(), renewed, later))).toBeNull();
});

test.each(['release', 'worked', 'failed'] as const)(
  'releasing a lease removes all lease attributes: %s',
  async (way) => {
    const { read } = await createWebhook({ openUntil: now });
    await its.health.takeSlot(await read(), now, { ...search, isProbe: true, token: 'mine' });
    const names = ['slot0', 'probeUntil'] as const;
    if (way === 'release') await its.health.release(await read(), names);
    else if (way === 'worked') await its.health.recordSuccess(await read(), now, null, names);
    else
      await its.health.failed(
        await read(),
        now,
        { openUntil: null, isGone: false, isLost: false, since: 7, begun: null },
        names,
      );
    expect(Object.keys(await read()).filter((name) => /^(slot|probe)/.test(name))).toEqual([]);
  },
);

/**
 * Leases and releases a slot the way the version before tokens did. A lease is identified only by the time, with a
 * fraction.
 */
const earlierVersion = (key: ReturnType<typeof items.webhook>) => ({
  take: (at: number) => {
    const until = at + LEASE_MS + 0.25;
    const free = where(
      'attribute_exists(pk) AND (attribute_not_exists(#slot0) OR #slot0 <= :lapsed OR #slot0 = :mine)',
      {
        lapsed: at,
        mine: until,
      },
    );
    return engine.plain.update(key, changes({ set: { slot0: until }, if: free }));
  },
  release: () => engine.plain.update(key, changes({ remove: ['slot0'] })),
});

test('takeSlot waits until a lease held by an earlier version ends', async () => {
  const { key, read } = await createWebhook();
  await earlierVersion(key).take(now);
  const take = async (at: number) => its.health.takeSlot(await read(), at, { ...search, token: 'mine' });
  expect(await take(now)).toBeNull();
  expect(await take(now + LEASE_MS)).toBeNull();
  expect(await take(now + LEASE_MS + 1)).toMatchObject({ slot: 'slot0' });
});

test('takeSlot leases a slot in a way that earlier versions respect', async () => {
  const { key, read } = await createWebhook();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  expect(await earlierVersion(key).take(now)).toBeNull();
  expect(await earlierVersion(key).take(now + LEASE_MS)).not.toBeNull();
});

test('takeSlot ignores an impossibly long lease from before the clock was set back', async () => {
  const { read } = await createWebhook();
  const take = async (at: number) => its.health.takeSlot(await read(), at, { ...search, token: `${at}` });
  expect(await take(now + 86_400_000)).not.toBeNull();
  expect(await take(now)).toMatchObject({ slot: 'slot0', until: now + LEASE_MS });
  // Host clocks may differ by a few seconds.
  expect(await take(now - 9_000)).toBeNull();
});

test('renewSlot does not renew a lease if an earlier version has taken the slot', async () => {
  const { key, read } = await createWebhook();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  await earlierVersion(key).take(now + LEASE_MS);
  expect(await read()).toMatchObject({ slot0Token: 'mine' });
  expect(await its.health.renewSlot(await read(), lease, now + LEASE_MS - 1)).toBeNull();
  const later = now + LEASE_MS;
  expect(await its.health.takeSlot({ ...(await read()), slot0: 0 }, later, { ...search, token: 'mine' })).toBeNull();
});

test('takeSlot leases a slot that an earlier version released without clearing the token', async () => {
  const { key, read } = await createWebhook();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  await earlierVersion(key).release();
  expect(await its.health.takeSlot(await read(), now, { ...search, token: 'other' })).toEqual({
    ...lease,
    token: 'other',
  });
});
