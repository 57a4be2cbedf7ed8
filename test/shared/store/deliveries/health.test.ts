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
/** The fields of a thing that the store reads. */
const some = (fields: object) => fields as never;

let engine: Awaited<ReturnType<typeof startEngine>>;
let its: Store;
/** The same store, where the answer to each update is lost: it is made again. */
let unheard: Store;
beforeAll(async () => {
  engine = await startEngine(createLedger());
  its = store(engine.plain);
  const update: Table['update'] = async (...given) => {
    await engine.plain.update(...given);
    return engine.plain.update(...given);
  };
  unheard = store({ ...engine.plain, update });
  await its.customers.create(some({ id: customerId }));
  await its.bots.create(some({ id: 1, customerId }), 100);
});
afterAll(() => engine.stop());

let made = 0;
const furnish = async (fields: object = {}) => {
  const id = `w${++made}`;
  await its.webhooks.create(some({ id, customerId, botId: 1, format: 'full', url: 'u', ...fields }), 100);
  const read = async (): Promise<WebhookRecord> => (await its.webhooks.get(customerId, id)) ?? expect.unreachable();
  return { key: items.webhook({ customerId, webhookId: id }), read };
};

const search = { slots: 1, first: 0, isProbe: false, aloneSince: 0 };
const lease = { slot: 'slot0', until: now + LEASE_MS, token: 'mine' } as const;

test('recognises its own lease when the answer was lost', async () => {
  const { read } = await furnish();
  expect(await unheard.health.takeSlot(await read(), now, { ...search, token: 'mine' })).toEqual(lease);
});

test('leases a slot to one of two calls of the same millisecond', async () => {
  const { read } = await furnish();
  const webhook = await read();
  const take = (token: string) => its.health.takeSlot(webhook, now, { ...search, token });
  expect([await take('mine'), await take('other'), await take('mine')]).toEqual([lease, null, lease]);
});

test('leases the probe to one of two calls of the same millisecond', async () => {
  const { read } = await furnish({ openUntil: now });
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

test('renews a lease, also when the answer was lost, until another call has the slot', async () => {
  const { read } = await furnish();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  const renewed = await unheard.health.keepSlot(await read(), lease, now + 1);
  expect(renewed).toEqual({ ...lease, until: now + 1 + LEASE_MS });
  const later = now + 2 * LEASE_MS;
  await its.health.takeSlot(await read(), later, { ...search, token: 'other' });
  expect(renewed && (await its.health.keepSlot(await read(), renewed, later))).toBeNull();
});

test.each(['release', 'worked', 'failed'] as const)(
  'leaves nothing of the leases that it gives up: %s',
  async (way) => {
    const { read } = await furnish({ openUntil: now });
    await its.health.takeSlot(await read(), now, { ...search, isProbe: true, token: 'mine' });
    const names = ['slot0', 'probeUntil'] as const;
    if (way === 'release') await its.health.release(await read(), names);
    else if (way === 'worked') await its.health.worked(await read(), now, null, names);
    else await its.health.failed(await read(), now, { openUntil: null, isGone: false, isLost: false }, names);
    expect(Object.keys(await read()).filter((name) => /^(slot|probe)/.test(name))).toEqual([]);
  },
);

/** Slots as the version before tokens takes and gives up them: the time of a lease is all, and has a fraction. */
const earlier = (key: ReturnType<typeof items.webhook>) => ({
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

test('leaves a slot to the earlier version that leased it, until the lease ends', async () => {
  const { key, read } = await furnish();
  await earlier(key).take(now);
  const take = async (at: number) => its.health.takeSlot(await read(), at, { ...search, token: 'mine' });
  expect(await take(now)).toBeNull();
  expect(await take(now + LEASE_MS)).toBeNull();
  expect(await take(now + LEASE_MS + 1)).toMatchObject({ slot: 'slot0' });
});

test('leases a slot so that the earlier version leaves it alone until the lease ends', async () => {
  const { key, read } = await furnish();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  expect(await earlier(key).take(now)).toBeNull();
  expect(await earlier(key).take(now + LEASE_MS)).not.toBeNull();
});

test('does not renew a lease whose slot the earlier version has taken, though its token is still there', async () => {
  const { key, read } = await furnish();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  await earlier(key).take(now + LEASE_MS);
  expect(await read()).toMatchObject({ slot0Token: 'mine' });
  expect(await its.health.keepSlot(await read(), lease, now + LEASE_MS - 1)).toBeNull();
  expect(await its.health.takeSlot({ ...(await read()), slot0: 0 }, now, { ...search, token: 'mine' })).toBeNull();
});

test('leases a slot that the earlier version has given up, though a token is still there', async () => {
  const { key, read } = await furnish();
  await its.health.takeSlot(await read(), now, { ...search, token: 'mine' });
  await earlier(key).release();
  expect(await its.health.takeSlot(await read(), now, { ...search, token: 'other' })).toEqual({
    ...lease,
    token: 'other',
  });
});
