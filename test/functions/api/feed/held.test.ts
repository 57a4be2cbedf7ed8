import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Item } from '#shared/store/engine/request.ts';
import { createFeedWorld, idsOf } from '#test/fixtures/feeds.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
/** Whether webhook reads return a stale version from before any delivery was held. */
let isStale = false;
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => {
    const get = async <T extends Item>(...args: Parameters<typeof runtime.table.get>) => {
      const found = await runtime.table.get<T>(...args);
      return isStale && found && 'held' in found ? { ...found, held: 0 } : found;
    };
    return { ...runtime, table: { ...runtime.table, get } };
  };
  world = await createFeedWorld({ wrap });
});
afterAll(() => world.stop());

const DAY = 86_400_000;

/** Creates a home with a disabled webhook that had a URL and holds a fall delivery. */
const furnish = async () => {
  const home = await world.furnish();
  const { client, at, receiver, fall, list } = home;
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: receiver.url, isEnabled: false });
  await fall();
  const [held] = (await list('?state=held')).data;
  return { ...home, webhook, heldId: held?.id ?? '' };
};

test('a feed returns held deliveries within two minutes after the webhook is enabled', async () => {
  const { client, at, webhook, heldId, feed, record } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: true });
  const given: string[][] = [];
  for (let seconds = 0; seconds < 120; seconds += 30) {
    given.push(idsOf(await feed()));
    await world.pass(30_000);
  }
  given.push(idsOf(await feed(`?after=${heldId}`)));
  expect(given.flat()).toContain(heldId);
  expect(given.at(-1)).toEqual([]);
  // Every fetch postpones the next check.
  await world.pass(60_000);
  await feed();
  expect(Number((await record())?.dueAt)).toBeGreaterThan(world.now());
});

test('the sweep releases held deliveries that a fetch missed', async () => {
  const { client, at, webhook, heldId, feed, list } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: true });
  isStale = true;
  expect(await feed()).toEqual([]);
  isStale = false;
  await world.pass(60_000);
  await world.pass(1_000);
  expect((await list()).data).toMatchObject([{ id: heldId, state: 'pending' }]);
  expect(idsOf(await feed())).toEqual([heldId]);
});

test('held deliveries expire after 14 days while the webhook stays disabled', async () => {
  const { client, at, webhook, list } = await furnish();
  await client.ok('PUT', at, { ...webhook, isEnabled: false });
  await world.pass(14 * DAY - 60_000);
  expect((await list()).data).toMatchObject([{ state: 'held' }]);
  await world.pass(120_000);
  expect((await list()).data).toMatchObject([{ state: 'failed', reason: 'expired' }]);
});
