import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { Write } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { createFeedWorld } from '#test/fixtures/feeds.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
/** Whether eventually consistent reads miss a feed's content. */
let isLagging = false;
/** Called before a delivery is written to a feed, and after a feed is read. */
let beforeLine = async () => {};
let onRead = () => {};
const isLine = (write: Write) => 'put' in write && items.feedLine.read(write.put) !== null;
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => {
    const { table } = runtime;
    const query: typeof table.query = async (request) => {
      const result = await table.query<never>(request);
      if (!request.pk.endsWith('#FEED')) return result;
      onRead();
      return isLagging && request.consistent === false ? { items: [], next: undefined } : result;
    };
    const queryAll: typeof table.queryAll = async (request) => {
      const result = await table.queryAll<never>(request);
      if (!request.pk.endsWith('#FEED')) return result;
      onRead();
      return isLagging && request.consistent === false ? [] : result;
    };
    const write: typeof table.write = async (...writes) => {
      if (writes.some(isLine)) await beforeLine();
      return table.write(...writes);
    };
    return { ...runtime, table: { ...table, query, queryAll, write } };
  };
  world = await createFeedWorld({ wrap, log: () => {} });
});
afterAll(() => world.stop());

/** Creates a home whose webhook is fetched. `move` gives the webhook a URL. */
const furnish = async () => {
  const home = await world.furnish();
  const { client, at, receiver } = home;
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  return { ...home, move: (more: object = {}) => client.ok('PUT', at, { ...webhook, url: receiver.url, ...more }) };
};

test("posts a feed's deliveries once the webhook has a URL, even after stale reads", async () => {
  const { fall, move, receiver, record } = await furnish();
  await fall();
  isLagging = true;
  await move();
  await world.pass(1_000);
  isLagging = false;
  await world.pass(60_000);
  expect(receiver.received).toHaveLength(1);
  // After that, the sweep no longer checks the feed.
  await world.pass(60_000);
  expect(await record()).not.toHaveProperty('duePk');
});

test('posts a delivery even if it enters the feed after the webhook has been given a URL', async () => {
  const { fall, move, receiver } = await furnish();
  const [reached, written, read] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  if (!reached || !written || !read) return;
  beforeLine = () => {
    reached.resolve();
    return written.promise;
  };
  const fell = fall();
  await reached.promise;
  await move();
  onRead = read.resolve;
  const passed = world.pass(1);
  await read.promise;
  await setImmediate();
  written.resolve();
  await Promise.all([fell, passed]);
  await world.pass(60_000);
  expect(receiver.received).toHaveLength(1);
});

test.each([{}, { retrySchedule: [90] }])(
  'posts a delivery missing from the feed once the webhook has a URL (other changes: %o)',
  async (more) => {
    const { fall, move, receiver, list } = await furnish();
    beforeLine = () => Promise.reject(new Error('the process ends here'));
    await fall();
    beforeLine = async () => {};
    expect((await list()).data).toMatchObject([{ state: 'pending', nextAttempt: null }]);
    await move(more);
    for (let minute = 0; minute < 5; minute++) await world.pass(60_000);
    expect(receiver.received).toHaveLength(1);
    expect((await list()).data).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  },
);
