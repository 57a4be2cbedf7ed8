import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { groups } from '#functions/index.ts';
import type { AroundInvocation } from '#lib/local/lambda/load-handler.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { call } from './calls.ts';
import { operations } from './operations.ts';
import { createWorld, type World } from './world.ts';

/**
 * Operations that hold a function execution open on purpose, and how many executions one customer can hold at once. All
 * other operations hold one only while they work, and are limited by requests per second. getWatch holds one for up to
 * 1 s while another request computes the watch.
 */
const holding: Readonly<Record<string, number>> = {
  // 3 per feed (functions/api/feed/waits.test.ts).
  fetchFeed: 10,
  // All jobs allowed in a day (functions/api/personal-data.test.ts), each for 8 s, in a function with a separate cap.
  createErasure: 50,
  // Anonymous, so limited by address. It takes the same time for every username.
  requestPasswordReset: 0,
  // Anonymous. It takes no longer than the table's response time limit.
  getHealth: 0,
};

let operation = '';
let paused = 0;
/** The maximum number of simultaneous pauses in each operation. */
const held = new Map<string, number>();
/** The name of the running function. Pauses in workers do not count, because they belong to no operation. */
const running = new AsyncLocalStorage<string>();
const around: AroundInvocation = (name, invocation) => running.run(name, invocation);
const isOfApi = (): boolean => groups.some(({ name }) => name === running.getStore());
const wrap = (runtime: Runtime): Runtime => ({
  ...runtime,
  pause: async (ms, ...more) => {
    if (!isOfApi()) return runtime.pause(ms, ...more);
    paused += 1;
    held.set(operation, Math.max(held.get(operation) ?? 0, paused));
    await runtime.pause(Math.min(ms, 20), ...more);
    paused -= 1;
  },
});

let world: World;
beforeAll(async () => {
  world = await createWorld({}, { wrap, around });
});
afterAll(() => world.stop());

test('only operations with a per-customer limit hold requests open', async () => {
  held.clear();
  for (const contract of operations) {
    [operation] = contract;
    await call(world, contract, operation === 'fetchFeed' ? { query: '?wait=1' } : {});
  }
  // A schedule may have been computing the watch at the same time.
  held.delete('getWatch');
  expect([...held.keys()].sort()).toEqual(Object.keys(holding).sort());
});

test('40 concurrent fetches from four feeds by one customer occupy at most ten executions', async () => {
  operation = 'fetches of one customer';
  const { client, bot } = world.ours;
  const tokens: string[][] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const hook = { name, url: null, format: 'full', isCustomerHook: false, botId: bot.id, secretKey: null };
    const { id, token } = await client.ok<{ id: string; token: string }>('POST', '/webhooks', hook);
    tokens.push([id, token]);
  }
  await Promise.all(
    tokens.flatMap(([id, token]) =>
      Array.from({ length: 10 }, () => world.anybody.as(token).call('GET', `/webhooks/${id}/feed?wait=1`)),
    ),
  );
  expect(held.get(operation)).toBeGreaterThan(3);
  expect(held.get(operation)).toBeLessThanOrEqual(holding.fetchFeed ?? 0);
});
