import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { deliverTask, encodeTask } from '../shared/queue/encode.ts';
import { store } from '../shared/store/store.ts';
import { a } from './fixtures/messages.ts';

import { createMetered, type Metered } from './fixtures/metered.ts';

type Outgoing = Parameters<Metered['queues']['retries']['send']>[0];

const text = () => metered.ledger.text();
let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());
afterEach(() => void vi.restoreAllMocks());

const sumOf = (costs: readonly { read: number; write: number }[]) => ({
  read: costs.reduce((sum, { read }) => sum + read, 0),
  write: costs.reduce((sum, { write }) => sum + write, 0),
});

/** Creates a home whose first fall fails once and is postponed by `seconds`. Tasks due later are kept in `later`. */
const postponed = async (name: string, seconds: number) => {
  vi.restoreAllMocks();
  const home = await metered.furnish(name);
  const webhookId = await home.addWebhook({ retrySchedule: [0, seconds, seconds] });
  await home.addRules(1, [webhookId]);
  await home.say(a.fall('calling', metered.now()), 120_000);
  const { retries } = metered.queues;
  const later: Outgoing[] = [];
  const send = retries.send.bind(retries);
  vi.spyOn(retries, 'send').mockImplementation((message) => {
    if (message.delaySeconds === 0) send(message);
    else later.push(message);
  });
  home.answer.code = 503;
  const costs = [await home.say(a.fall('calling', metered.now()), 120_000)];
  home.answer.code = 200;
  return { ...home, webhookId, costs, later, count: () => home.receiver.received.length };
};

/**
 * Runs the tasks due later and the tasks they enqueue, except those for which `isLeftOut` returns true. Returns the
 * costs.
 */
const runLater = async (later: Outgoing[], isLeftOut: (message: Outgoing) => boolean) => {
  const costs = [];
  for (let message = later.shift(); message; message = later.shift()) {
    const task = { ...message, delaySeconds: 0 };
    if (!isLeftOut(message)) costs.push(await metered.costOf(1_000, async () => metered.queues.retries.send(task)));
  }
  return costs;
};
const isRelease = ({ body }: Outgoing): boolean => body.includes('"back"');

/** Returns the cost of a fall postponed by an hour whose planned attempt succeeds. */
const plannedCost = async () => {
  const { costs, later, say, customerId, webhookId, count } = await postponed('ash', 3_600);
  costs.push(await say(a.fall('calling', metered.now()), 120_000));
  expect(await runLater(later, isRelease)).toEqual([]);
  const { page } = await store(metered.cloud.runtime.table).deliveries.range(customerId, webhookId, [0, metered.now()]);
  const [delivery = expect.unreachable()] = page.filter(({ state }) => state === 'retrying');
  const task = encodeTask({ ...deliverTask(delivery), isRetry: true });
  costs.push(await metered.costOf(4_400_000, async () => metered.queues.retries.send(task)));
  expect(count()).toBe(4);
  return sumOf(costs);
};

test('an alarm postponed by a failing receiver costs at most 1 more write unit after recovery', async () => {
  const planned = await plannedCost();
  const { costs, later, say, count } = await postponed('elm', 3_600);
  costs.push(await say(a.fall('calling', metered.now()), 120_000));
  const ofRelease = await runLater(later, () => false);
  expect(count()).toBe(4);
  // The release with an early attempt, and the end of the outage, which costs this write once for all alarms.
  expect(ofRelease, text()).toMatchObject([{ write: 10 }, { read: 1, write: 1 }]);
  expect(sumOf([...costs, ...ofRelease]).write - planned.write, text()).toBeLessThanOrEqual(1);
});

test('the scheduled task for an early attempt costs 2 read units and no write units', async () => {
  const { later, say, count } = await postponed('fir', 600);
  const planned = later.splice(0);
  await say(a.fall('calling', metered.now()), 120_000);
  await runLater(later, () => false);
  expect(count()).toBe(4);
  const [task = expect.unreachable()] = planned;
  const run = async () => metered.queues.retries.send({ ...task, delaySeconds: 0 });
  expect(await metered.costOf(600_000, run), text()).toEqual({ read: 2, write: 0 });
});

test('a successful scheduled retry costs 2 write units for the webhook', async () => {
  const { later, count } = await postponed('larch', 60);
  const [task = expect.unreachable()] = later.splice(0);
  await metered.costOf(80_000, async () => metered.queues.retries.send({ ...task, delaySeconds: 0 }));
  expect(later).toEqual([]);
  expect(count()).toBe(3);
  // The slot, and the success.
  expect(metered.ledger.lines()['update webhook']).toMatchObject({ write: 2 });
});
