import { expect, test } from 'vitest';
import { LEASE_MS } from '#shared/domain/delivery/breaker.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { changes, where } from '#shared/store/engine/request.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { createHealth, HOME, HOOK } from '#test/fixtures/store-deliveries.ts';
import { now } from '#test/fixtures/store-items.ts';

/** Host clocks differ by up to 10 s. */
const SKEW = 10_000;

const hookKey = items.webhook({ customerId: HOME, webhookId: HOOK });
const search = { slots: 1, first: 0, isProbe: false, aloneSince: 0 };
const lease = { slot: 'slot0', until: now + LEASE_MS, token: 'mine' } as const;

/** The same health writes, but each update loses its response and is retried. */
const lossyHealth = (table: Table) => {
  const update: Table['update'] = async (...args) => {
    await table.update(...args);
    return table.update(...args);
  };
  return store({ ...table, update }).health;
};

test('takeSlot recognizes its own lease after a lost response', async () => {
  const { table, hook } = await createHealth();
  expect(await lossyHealth(table).takeSlot(await hook(), now, { ...search, token: 'mine' })).toEqual(lease);
});

test('takeSlot leases a slot to only one of two callers in the same millisecond', async () => {
  const { health, hook } = await createHealth();
  const webhook = await hook();
  const take = (token: string) => health.takeSlot(webhook, now, { ...search, token });
  expect([await take('mine'), await take('other'), await take('mine')]).toEqual([lease, null, lease]);
});

test('takeSlot leases the probe to only one of two callers in the same millisecond', async () => {
  const { health, hook } = await createHealth({ openUntil: now });
  const webhook = await hook();
  const probe = (token: string) =>
    health.takeSlot(webhook, now, { ...search, slots: 5, first: token.length, isProbe: true, token });
  expect([await probe('mine'), await probe('other'), await probe('mine')]).toEqual([
    { ...lease, slot: 'slot4' },
    null,
    { ...lease, slot: 'slot4' },
  ]);
  expect(await hook()).toMatchObject({ probeUntil: lease.until, probeUntilToken: 'mine' });
});

test('renewSlot renews a lease until another caller has the slot, even after a lost response', async () => {
  const { health, table, hook } = await createHealth();
  await health.takeSlot(await hook(), now, { ...search, token: 'mine' });
  const renewed = await lossyHealth(table).renewSlot(await hook(), lease, now + 1);
  expect(renewed).toEqual({ ...lease, until: now + 1 + LEASE_MS });
  const later = now + 2 * LEASE_MS;
  await health.takeSlot(await hook(), later, { ...search, token: 'other' });
  expect(renewed && (await health.renewSlot(await hook(), renewed, later))).toBeNull();
});

test('releasing leases removes all their attributes', async () => {
  const { health, hook } = await createHealth({ openUntil: now });
  const before = await hook();
  await health.takeSlot(before, now, { ...search, isProbe: true, token: 'mine' });
  await health.release(before, ['slot0', 'probeUntil']);
  expect(await hook()).toEqual(before);
});

test('slots are tried in turn, starting with the given one, until none is free', async () => {
  const { health, hook } = await createHealth();
  // Each call starts from the same outdated webhook.
  const webhook = await hook();
  const taken: unknown[] = [];
  for (let at = 0; at < 6; at++) {
    const found = await health.takeSlot(webhook, now, { ...search, slots: 5, first: 8, token: `${at}` });
    taken.push(found?.slot);
  }
  expect(taken).toEqual(['slot3', 'slot4', 'slot0', 'slot1', 'slot2', undefined]);
});

test.each([
  ['leased', now + 1, false],
  ['leased by a host whose clock is ahead', now + LEASE_MS + SKEW, false],
  ['free from the moment its lease ends', now, true],
  ['free if its lease is longer than possible', now + LEASE_MS + SKEW + 1, true],
])('takeSlot writes only if a slot seems free: a slot is %s', async (_, until, isFree) => {
  const { health, hook, updates } = await createHealth({ slot0: until, slot0Token: 'other' });
  const taken = await health.takeSlot(await hook(), now, { ...search, token: 'mine' });
  expect([taken, updates()]).toEqual(isFree ? [lease, 1] : [null, 0]);
});

test('a probe tries only one slot, because the circuit may have changed if the slot is taken', async () => {
  const { health, hook, updates } = await createHealth({ openUntil: now });
  const webhook = await hook();
  const take = (isProbe: boolean) =>
    health.takeSlot(webhook, now, { ...search, slots: 5, isProbe, token: `${isProbe}` });
  expect([await take(false), await take(true), updates()]).toEqual([{ ...lease, token: 'false' }, null, 2]);
  expect(await hook()).not.toHaveProperty('probeUntil');
});

test.each([
  ['closed', { remove: ['openUntil'] }],
  ['opened again', { set: { openUntil: now + 1 } }],
])('a probe does not start if the circuit has meanwhile been %s', async (_, change) => {
  const { health, table, hook } = await createHealth({ openUntil: now });
  const webhook = await hook();
  await table.update(hookKey, changes(change));
  expect(await health.takeSlot(webhook, now, { ...search, isProbe: true, token: 'mine' })).toBeNull();
  expect(await hook()).not.toHaveProperty('slot0');
});

test.each([
  ['leased by another request', { slot0: now + 1, slot0Token: 'other' }],
  ['leased by a host whose clock is ahead', { slot0: now + LEASE_MS + SKEW, slot0Token: 'other' }],
])('takeSlot leaves a slot alone that has meanwhile been %s', async (_, set) => {
  const { health, table, hook } = await createHealth();
  const webhook = await hook();
  await table.update(hookKey, changes({ set }));
  expect(await health.takeSlot(webhook, now, { ...search, token: 'mine' })).toBeNull();
  expect(await hook()).toMatchObject(set);
});

test('the slots of a deleted webhook are neither leased, renewed nor recreated by a release', async () => {
  const { health, its, hook } = await createHealth();
  const webhook = await hook();
  await its.webhooks.remove(webhook, now);
  expect(await health.takeSlot(webhook, now, { ...search, token: 'mine' })).toBeNull();
  expect(await health.renewSlot(webhook, lease, now)).toBeNull();
  await health.release(webhook, ['slot0']);
  expect(await its.webhooks.get(HOME, HOOK)).toBeNull();
});

/**
 * Leases and releases a slot the way the version before tokens did. A lease is identified only by the time, with a
 * fraction.
 */
const earlierVersion = ({ update }: Table) => ({
  take: (at: number) => {
    const until = at + LEASE_MS + 0.25;
    const free = where(
      'attribute_exists(pk) AND (attribute_not_exists(#slot0) OR #slot0 <= :lapsed OR #slot0 = :mine)',
      {
        lapsed: at,
        mine: until,
      },
    );
    return update(hookKey, changes({ set: { slot0: until }, if: free }));
  },
  release: () => update(hookKey, changes({ remove: ['slot0'] })),
});

test('takeSlot waits until a lease held by an earlier version ends', async () => {
  const { health, table, hook } = await createHealth();
  await earlierVersion(table).take(now);
  const take = async (at: number) => health.takeSlot(await hook(), at, { ...search, token: 'mine' });
  expect(await take(now)).toBeNull();
  expect(await take(now + LEASE_MS)).toBeNull();
  expect(await take(now + LEASE_MS + 1)).toMatchObject({ slot: 'slot0' });
});

test('takeSlot leases a slot in a way that earlier versions respect', async () => {
  const { health, table, hook } = await createHealth();
  await health.takeSlot(await hook(), now, { ...search, token: 'mine' });
  expect(await earlierVersion(table).take(now)).toBeNull();
  expect(await earlierVersion(table).take(now + LEASE_MS)).not.toBeNull();
});

test('takeSlot ignores an impossibly long lease from before the clock was set back', async () => {
  const { health, hook } = await createHealth();
  const take = async (at: number) => health.takeSlot(await hook(), at, { ...search, token: `${at}` });
  expect(await take(now + 86_400_000)).not.toBeNull();
  expect(await take(now)).toMatchObject({ slot: 'slot0', until: now + LEASE_MS });
  // Host clocks may differ by a few seconds.
  expect(await take(now - 9_000)).toBeNull();
});

test('renewSlot does not renew a lease if an earlier version has taken the slot', async () => {
  const { health, table, hook } = await createHealth();
  await health.takeSlot(await hook(), now, { ...search, token: 'mine' });
  await earlierVersion(table).take(now + LEASE_MS);
  expect(await hook()).toMatchObject({ slot0Token: 'mine' });
  expect(await health.renewSlot(await hook(), lease, now + LEASE_MS - 1)).toBeNull();
  const later = now + LEASE_MS;
  expect(await health.takeSlot({ ...(await hook()), slot0: 0 }, later, { ...search, token: 'mine' })).toBeNull();
});

test('takeSlot leases a slot that an earlier version released without clearing the token', async () => {
  const { health, table, hook } = await createHealth();
  await health.takeSlot(await hook(), now, { ...search, token: 'mine' });
  await earlierVersion(table).release();
  expect(await health.takeSlot(await hook(), now, { ...search, token: 'other' })).toEqual({
    ...lease,
    token: 'other',
  });
});
