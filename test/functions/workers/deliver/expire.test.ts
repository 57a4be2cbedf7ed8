import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import { type Measure, unmeasured } from '#shared/observability/metrics.ts';
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
      if (isDown && queue === 'retries') throw new QueueUnavailable('the queue does not answer');
      return runtime.queues.send(queue, messages);
    };
    const { metrics = unmeasured } = runtime;
    const measure = (...given: [never, never, never]): void => {
      measured.push(given);
      metrics.measure(...given);
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

/** A home whose webhook is fetched, with another one that hears of what fails, and somebody who is mailed. */
const furnish = async () => {
  const home = await world.furnish();
  const { client, customerId, at, receiver, list } = home;
  const other = await startReceiver();
  others.push(other);
  await client.ok('POST', '/webhooks', { name: 'all', url: other.url, format: 'full', isCustomerHook: true });
  const boss = {
    username: `boss-${customerId}`,
    email: `boss-${customerId}@example.com`,
    permissions: ['manage_bots'],
  };
  const person = { customerId, password: 'a-long-password', firstName: 'A', lastName: 'B' };
  await client.ok('POST', '/users', { ...person, ...boss });
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  const rung = world.valuesOf('AlarmsFailed').length;
  const told = () => {
    const events = other.received.map(({ body }) => JSON.parse(body).event);
    const mailed = mails.filter((mail) => mail.startsWith(`mail to ${boss.email}: A fall was not told`));
    return {
      events: events.filter(({ type, action }) => `${type}/${action}` === 'delivery/failed').length,
      mails: mailed.length,
      alarms: world.valuesOf('AlarmsFailed').length - rung,
    };
  };
  return {
    ...home,
    told,
    put: (more: object) => client.ok('PUT', at, { ...webhook, ...more }),
    ends: async () => (await list()).data.map(({ state, reason }) => `${state} ${reason}`),
    url: receiver.url,
  };
};

const ONCE = { events: 1, mails: 1, alarms: 1 };
const NEVER = { events: 0, mails: 0, alarms: 0 };

/** Fetches every five minutes. */
const readFor = async (ms: number, feed: () => Promise<unknown>): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 300_000) {
    await world.pass(300_000);
    await feed();
  }
  await world.idle();
};

test.each([{ url: null }, {}])('a fall that was held for 14 days is told once as failed: %o', async (more) => {
  const { put, fall, told, ends, url } = await furnish();
  await put({ url, isEnabled: false });
  await fall();
  await put({ url, isEnabled: false, ...more });
  await world.pass(14 * DAY - 60_000);
  expect(told()).toEqual(NEVER);
  for (let minute = 0; minute < 3; minute++) await world.pass(60_000);
  expect(await ends()).toEqual(['failed expired']);
  expect(told()).toEqual(ONCE);
});

test('a fall that nobody fetched for 14 days is told once as failed', async () => {
  const { fall, told, ends } = await furnish();
  await fall();
  await world.pass(14 * DAY - 60_000);
  expect(told()).toEqual(NEVER);
  for (let minute = 0; minute < 3; minute++) await world.pass(60_000);
  expect(await ends()).toEqual(['failed expired']);
  expect(told()).toEqual(ONCE);
});

test('a fall that is fetched again and again, and never taken, is told once as failed after 14 days', async () => {
  const { fall, feed, told, ends } = await furnish();
  await fall();
  const [given] = await feed();
  await readFor(3_600_000, feed);
  await world.pass(14 * DAY - 2 * 3_600_000);
  expect(idsOf(await feed())).toEqual([given?.id]);
  expect(told()).toEqual(NEVER);
  await readFor(2 * 3_600_000, feed);
  expect(await ends()).toEqual(['failed expired']);
  expect(told()).toEqual(ONCE);
});

test('whoever goes on behind a delivery that has expired gets what follows, also while it has not ended yet', async () => {
  const { fall, feed, told } = await furnish();
  await fall();
  const [given] = await feed();
  await world.pass(14 * DAY - 1_000);
  await fall();
  world.skip(2_000);
  // It is not given any more, and ends once the worker has seen it.
  const [next] = await feed();
  expect(idsOf(await feed(`?after=${given?.id}`))).toEqual([next?.id]);
  await world.idle();
  expect(told()).toEqual(ONCE);
  await feed(`?after=${next?.id}`);
});

test('a fall whose message is lost is told once as failed, and is taken by no fetch of what follows it', async () => {
  const { fall, feed, told, ends, loseMessages } = await furnish();
  await fall();
  await loseMessages();
  await fall();
  const [next, ...more] = await feed();
  expect(more).toEqual([]);
  expect(await feed(`?after=${next?.id}`)).toEqual([]);
  await world.idle();
  expect((await ends()).toSorted()).toEqual(['delivered null', 'failed exhausted']);
  expect(told()).toEqual(ONCE);
});

test('a repetition that nobody fetched is not told', async () => {
  const { client, at, fall, feed, told, ends } = await furnish();
  await fall();
  const [given] = await feed();
  await feed(`?after=${given?.id}`);
  await client.ok('POST', `${at}/deliveries/${given?.id}/redeliver`);
  await world.pass(14 * DAY + 60_000);
  await world.pass(60_000);
  expect((await ends()).toSorted()).toEqual(['delivered null', 'failed expired']);
  expect(told()).toEqual(NEVER);
});

test('a fetch that cannot leave to the worker what has expired is answered all the same, and counted', async () => {
  const { fall, feed } = await furnish();
  await fall();
  isDown = true;
  world.skip(15 * DAY);
  expect(await feed()).toEqual([]);
  isDown = false;
  expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'feed', kind: 'queue' }]);
});
