import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FeedWait } from '#shared/store/deliveries/feed-waits.ts';
import { items } from '#shared/store/table.ts';
import type { Client } from '#test/fixtures/client.ts';
import { createFeedWorld } from '#test/fixtures/feeds.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
beforeAll(async () => {
  world = await createFeedWorld();
});
afterAll(() => world.stop());

/** Returns how many of a customer's fetches are waiting. */
const countWaiting = async (customerId: number): Promise<number> => {
  const row = await world.table.get<{ waits: FeedWait[] }>(items.feedWaits({ customerId }));
  return (row?.waits ?? []).filter(({ until }) => until > world.now()).length;
};
type Fetch = { path: string; by: Client };
/** Starts a fetch. Resolves once it is waiting or has a response. */
const start = async ({ path, by }: Fetch, customerId: number) => {
  const before = await countWaiting(customerId);
  const fetch = { isAnswered: false, answer: by.ok<object[]>('GET', `${path}/feed?wait=20`) };
  void fetch.answer.finally(() => {
    fetch.isAnswered = true;
  });
  while (!fetch.isAnswered && (await countWaiting(customerId)) === before);
  return fetch;
};

test('only three fetches per feed and ten per customer can wait at once', async () => {
  const home = await world.furnish();
  const { client, customerId } = home;
  const { botId } = await client.ok<{ botId: number }>('GET', home.at);
  const feeds: Fetch[] = [{ path: home.at, by: home.reader }];
  for (const name of ['b', 'c', 'd']) {
    const hook = { name, url: null, format: 'full', isCustomerHook: false, botId, secretKey: null };
    const { id, token } = await client.ok<{ id: string; token: string }>('POST', '/webhooks', hook);
    feeds.push({ path: `/webhooks/${id}`, by: client.as(token) });
  }
  const waitingByFeed: number[] = [];
  const all: Awaited<ReturnType<typeof start>>[] = [];
  for (const feed of feeds) {
    const started = [];
    for (let n = 0; n < 4; n++) started.push(await start(feed, customerId));
    waitingByFeed.push(started.filter(({ isAnswered }) => !isAnswered).length);
    all.push(...started);
  }
  expect(waitingByFeed).toEqual([3, 3, 3, 1]);
  // Other customers are not affected, and users count like receivers.
  const other = await world.furnish();
  const byUser = await start({ path: other.at, by: other.client }, other.customerId);
  expect(byUser.isAnswered).toBe(false);
  await other.fall();
  expect(await byUser.answer).toHaveLength(1);
  expect(await countWaiting(other.customerId)).toBe(0);
  world.skip(20_000);
  expect(await Promise.all(all.map(({ answer }) => answer))).toEqual(all.map(() => []));
  expect(await countWaiting(customerId)).toBe(0);
  const next = await start({ path: home.at, by: home.reader }, customerId);
  expect(next.isAnswered).toBe(false);
  await home.fall();
  expect(await next.answer).toHaveLength(1);
});

test('only three of 20 concurrent fetches wait', async () => {
  const { reader, at, customerId, fall } = await world.furnish();
  const path = `${at}/feed?wait=20`;
  const answers = Array.from({ length: 20 }, () => reader.ok<object[]>('GET', path));
  let atOnce = 0;
  for (const answer of answers) void answer.then(() => (atOnce += 1));
  while (atOnce < 17) await countWaiting(customerId);
  expect(await countWaiting(customerId)).toBe(3);
  await fall();
  const lengths = (await Promise.all(answers)).map(({ length }) => length);
  expect(lengths.toSorted()).toEqual([...Array(17).fill(0), 1, 1, 1]);
});
