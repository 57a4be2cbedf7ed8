import { afterAll, beforeAll, expect, test } from 'vitest';
import { inBatches } from '#shared/concurrency/in-batches.ts';
import { store } from '#shared/store/store.ts';
import { linkSensor } from './fixtures/home.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

/** Creates a home with 12 sensors and a rule with a working webhook. */
const furnish = async (name: string) => {
  const home = await metered.furnish(name);
  await home.addRules(1, [await home.addWebhook()]);
  for (let more = 1; more < 12; more++) await linkSensor(home.client);
  const path = `/customers/${home.customerId}/watch`;
  const read = (afterMs: number) =>
    metered.costOf(afterMs, async () => {
      const { sensors } = await home.client.ok<{ sensors: number }>('GET', path);
      expect(sensors).toBe(12);
    });
  return { ...home, path, read };
};

test('the watch report for a home with 12 sensors costs 6 read units to compute each minute, and 2.5 to read', async () => {
  const { read } = await furnish('maple');
  // One write claims the minute, and the other writes store the watch.
  expect(await read(60_000), metered.ledger.text()).toMatchObject({ read: 6 });
  expect(await read(1_000), metered.ledger.text()).toEqual({ read: 2.5, write: 0 });
  expect(await read(30_000), metered.ledger.text()).toEqual({ read: 2.5, write: 0 });
  const { read: reads, write } = await read(60_000);
  expect({ reads, isSmall: write <= 4 }, metered.ledger.text()).toEqual({ reads: 6, isSmall: true });
});

test('reading the largest watch report costs at most 5 read units', async () => {
  const { client, customerId, path, read } = await furnish('linden');
  await read(60_000);
  const { watches } = store(metered.cloud.runtime.table);
  const stored = await watches.get(customerId);
  if (!stored) throw new Error('the watch is not stored');
  const names = { ...stored.watch.names, users: { 1: 'n'.repeat(18_500) } };
  await watches.put(customerId, { watch: { ...stored.watch, names }, opened: [] }, stored);
  const cost = await metered.costOf(1_000, () => client.ok('GET', path));
  expect(cost.read, metered.ledger.text()).toBeGreaterThan(4);
  expect(cost.read, metered.ledger.text()).toBeLessThanOrEqual(5);
});

test('reading the watch report for a home with 200 offline sensors costs at most 5 read units', async () => {
  const home = await metered.furnish('rowan');
  await home.addRules(1, [await home.addWebhook()]);
  await inBatches(Array.from({ length: 199 }), () => linkSensor(home.client));
  const path = `/customers/${home.customerId}/watch`;
  const read = () => home.client.ok<{ sensors: number }>('GET', path);
  const computed = await metered.costOf(60_000, read);
  const cost = await metered.costOf(1_000, async () => expect((await read()).sensors).toBe(200));
  expect(cost, metered.ledger.text()).toEqual({ read: 4, write: 0 });
  // The first request each minute computes the watch for all callers.
  expect(computed.read).toBe(8);
});

test('a change affecting the watch costs 1 write unit more than any other change', async () => {
  const home = await metered.furnish('elm');
  const webhookId = await home.addWebhook();
  const at = `/webhooks/${webhookId}`;
  const webhook = await home.client.ok<object>('GET', at);
  await metered.costOf(1_000, () => home.client.ok('PUT', at, webhook));
  expect(metered.ledger.text()).toContain('1 x write changedCustomer: 0 read, 1 write');
  await metered.costOf(1_000, () => home.client.ok('POST', `${at}/token`));
  expect(metered.ledger.text()).not.toContain('changedCustomer');
});
