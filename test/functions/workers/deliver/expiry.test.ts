import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import { QueueUnavailable } from '#shared/queue/unavailable.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { createFeedWorld, idsOf } from '#test/fixtures/feeds.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
const mails: string[] = [];
const others: Receiver[] = [];
let isDown = false;
const measured: unknown[][] = [];
beforeAll(async () => {
  const say = (line: string) => void (line.startsWith('mail to') && mails.push(line));
  const wrap = (runtime: Runtime): Runtime => {
    const send: Runtime['queues']['send'] = async (queue, messages) => {
      if (isDown && queue === 'retries') throw new QueueUnavailable('the queue does not respond');
      return runtime.queues.send(queue, messages);
    };
    const { metrics = noMetrics } = runtime;
    const measure = (...args: [never, never, never]): void => {
      measured.push(args);
      metrics.measure(...args);
    };
    return { ...runtime, queues: { ...runtime.queues, send }, metrics: { ...metrics, measure: measure as Measure } };
  };
  world = await createFeedWorld({ say, log: () => {}, wrap });
});
afterAll(async () => {
  await Promise.all(others.map((other) => other.stop()));
  await world.stop();
});

const DAY = 86_400_000;

/** Creates a home with a fetched webhook, another webhook that gets failure notices, and a user who gets emails. */
const furnish = async () => {
  const home = await world.furnish();
  const { client, session, customerId, at, receiver, list } = home;
  const other = await startReceiver();
  others.push(other);
  await client.ok('POST', '/webhooks', { name: 'all', url: other.url, format: 'full', isCustomerHook: true });
  const boss = {
    username: `boss-${customerId}`,
    email: `boss-${customerId}@example.com`,
    permissions: ['manage_bots'],
  };
  const person = { customerId, password: 'a-long-password', firstName: 'A', lastName: 'B' };
  await session.ok('POST', '/users', { ...person, ...boss });
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  const alarmsBefore = world.valuesOf('AlarmsFailed').length;
  const notified = () => {
    const events = other.received.map(({ body }) => JSON.parse(body).event);
    const mailed = mails.filter((mail) => mail.startsWith(`mail to ${boss.email}: Fall alert not delivered`));
    return {
      events: events.filter(({ type, action }) => `${type}/${action}` === 'delivery/failed').length,
      mails: mailed.length,
      alarms: world.valuesOf('AlarmsFailed').length - alarmsBefore,
    };
  };
  return {
    ...home,
    notified,
    put: (more: object) => client.ok('PUT', at, { ...webhook, ...more }),
    ends: async () => (await list()).data.map(({ state, reason }) => `${state} ${reason}`),
    url: receiver.url,
  };
};

const ONCE = { events: 1, mails: 1, alarms: 1 };
const NEVER = { events: 0, mails: 0, alarms: 0 };

/** Fetches every five minutes. */
const fetchFor = async (ms: number, feed: () => Promise<unknown>): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 300_000) {
    await world.pass(300_000);
    await feed();
  }
  await world.idle();
};

test.each([{ url: null }, {}])(
  'reports a fall exactly once after holding it for 14 days (webhook changes: %o)',
  async (more) => {
    const { put, fall, notified, ends, url } = await furnish();
    await put({ url, isEnabled: false });
    await fall();
    await put({ url, isEnabled: false, ...more });
    await world.pass(14 * DAY - 60_000);
    expect(notified()).toEqual(NEVER);
    for (let minute = 0; minute < 3; minute++) await world.pass(60_000);
    expect(await ends()).toEqual(['failed expired']);
    expect(notified()).toEqual(ONCE);
  },
);

test('reports a fall exactly once if no one fetches it for 14 days', async () => {
  const { fall, notified, ends } = await furnish();
  await fall();
  await world.pass(14 * DAY - 60_000);
  expect(notified()).toEqual(NEVER);
  for (let minute = 0; minute < 3; minute++) await world.pass(60_000);
  expect(await ends()).toEqual(['failed expired']);
  expect(notified()).toEqual(ONCE);
});

test('reports a fall exactly once if it is not confirmed for 14 days', async () => {
  const { fall, feed, notified, ends } = await furnish();
  await fall();
  const [first] = await feed();
  await fetchFor(3_600_000, feed);
  await world.pass(14 * DAY - 2 * 3_600_000);
  expect(idsOf(await feed())).toEqual([first?.id]);
  expect(notified()).toEqual(NEVER);
  await fetchFor(2 * 3_600_000, feed);
  expect(await ends()).toEqual(['failed expired']);
  expect(notified()).toEqual(ONCE);
});

test('a fetch after an expired delivery returns the next deliveries', async () => {
  const { fall, feed, notified } = await furnish();
  await fall();
  const [first] = await feed();
  await world.pass(14 * DAY - 1_000);
  await fall();
  world.skip(2_000);
  // The expired delivery is no longer returned, and ends once the worker has checked it.
  const [next] = await feed();
  expect(idsOf(await feed(`?after=${first?.id}`))).toEqual([next?.id]);
  await world.idle();
  expect(notified()).toEqual(ONCE);
  await feed(`?after=${next?.id}`);
});

test('reports a fall exactly once if the message is lost', async () => {
  const { fall, feed, notified, ends, loseMessages } = await furnish();
  await fall();
  await loseMessages();
  await fall();
  const [next, ...more] = await feed();
  expect(more).toEqual([]);
  expect(await feed(`?after=${next?.id}`)).toEqual([]);
  await world.idle();
  expect((await ends()).toSorted()).toEqual(['delivered null', 'failed exhausted']);
  expect(notified()).toEqual(ONCE);
});

test('does not report a redelivery that no one fetched', async () => {
  const { client, at, fall, feed, notified, ends } = await furnish();
  await fall();
  const [first] = await feed();
  await feed(`?after=${first?.id}`);
  await client.ok('POST', `${at}/deliveries/${first?.id}/redeliver`);
  await world.pass(14 * DAY + 60_000);
  await world.pass(60_000);
  expect((await ends()).toSorted()).toEqual(['delivered null', 'failed expired']);
  expect(notified()).toEqual(NEVER);
});

test('a fetch succeeds even if an expired delivery cannot be enqueued', async () => {
  const { fall, feed } = await furnish();
  await fall();
  isDown = true;
  world.skip(15 * DAY);
  expect(await feed()).toEqual([]);
  isDown = false;
  expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'feed', kind: 'queue' }]);
});
