import { afterEach, expect, test } from 'vitest';
import { createClient } from '#lib/client/client.ts';
import { type FeedOptions, feed } from '#lib/client/feed.ts';
import { verify } from '#lib/client/verify.ts';
import { startFeed as startService, WEBHOOK } from '#test/fixtures/feed-service.ts';
import { createFeedWorld } from '#test/fixtures/feeds.ts';

const SECRET = 'a-secret-of-16-or-more';
const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
});
const startFeed = async (...given: Parameters<typeof startService>) => {
  const service = await startService(...given);
  ending.push(service.stop);
  return { ...service, client: createClient({ baseUrl: service.url, token: 'the-token', pause: async () => {} }) };
};

/** Returns a generator for numbers from 0 to 1 that is identical in every run. */
const seeded = (seed: number) => {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
};

/** Reads `count` feed messages. Returns their ids. */
const read = async ({ client }: Awaited<ReturnType<typeof startFeed>>, count: number, options: FeedOptions = {}) => {
  const ids: string[] = [];
  for await (const { id } of feed(client, WEBHOOK, options)) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
};

test('feed yields messages in order with headers and bodies, and continues after the last one', async () => {
  const service = await startFeed(5);
  const { client, asked } = service;
  const abort = new AbortController();
  const seen = [];
  for await (const message of feed(client, WEBHOOK, { limit: 2, signal: abort.signal })) {
    seen.push(message);
    if (seen.length === 5) abort.abort();
  }
  expect(seen.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  expect(seen[0]).toEqual({
    id: 'm1',
    createDate: 1_795_240_000_000,
    headers: { 'webhook-id': 'm1' },
    body: '{"at":1}',
  });
  expect(asked.slice(0, 3)).toEqual([null, 'm2', 'm4'].map((after) => ({ after, limit: '2', wait: '20' })));
});

test('feed acknowledges a message only when the next one is requested', async () => {
  const service = await startFeed(3);
  const messages = feed(service.client, WEBHOOK, { limit: 1 });
  await messages.next();
  expect(service.taken()).toBe(0);
  await messages.next();
  expect(service.taken()).toBe(1);
  await messages.return();
});

test('leaving the loop acknowledges all but the last message, which the next feed returns again', async () => {
  const service = await startFeed(5);
  expect(await read(service, 3)).toEqual(['m1', 'm2', 'm3']);
  expect(service.taken()).toBe(2);
  expect(service.asked.at(-1)).toEqual({ after: 'm2', limit: '1', wait: '0' });
  expect(await read(service, 1)).toEqual(['m3']);
});

test('the next feed returns the message on which the receiver threw', async () => {
  const service = await startFeed(2);
  const fail = async () => {
    for await (const { id } of feed(service.client, WEBHOOK)) if (id === 'm2') throw new Error('disk full');
  };
  await expect(fail()).rejects.toThrow('disk full');
  expect(service.taken()).toBe(1);
});

test('feed retries with increasing delays while the service fails, and reports each attempt', async () => {
  const service = await startFeed(1, (calls) => [500, 'cut', 502, null][calls - 1] as number | 'cut' | null);
  const reported: number[] = [];
  const waited: number[] = [];
  const options = {
    onTrouble: (_: unknown, seconds: number) => reported.push(seconds),
    pause: async (seconds: number) => void waited.push(seconds),
  };
  expect(await read(service, 1, options)).toEqual(['m1']);
  expect([reported, waited]).toEqual([
    [1, 2, 4],
    [1, 2, 4],
  ]);
});

test.each([401, 403, 404, 409])('feed throws on %i without retrying', async (status) => {
  const service = await startFeed(1, () => status);
  await expect(read(service, 1)).rejects.toMatchObject({ name: 'Problem', status });
  expect(service.asked).toHaveLength(1);
});

test('feed pauses for a second after an immediate empty response', async () => {
  let calls = 0;
  const nothing = () => (++calls <= 2 ? { status: 200, body: [] } : null);
  const service = await startFeed(1, undefined, nothing);
  const pauses: number[] = [];
  const pause = async (seconds: number) => void pauses.push(seconds);
  expect(await read(service, 1, { pause })).toEqual(['m1']);
  expect(pauses).toEqual([1, 1]);
});

test('feed fetches messages again after two minutes, before signatures expire', async () => {
  const service = await startFeed(4);
  let time = 0;
  const seen: string[] = [];
  for await (const { id } of feed(service.client, WEBHOOK, { now: () => time })) {
    seen.push(id);
    time += 70_000;
    if (seen.length === 4) break;
  }
  expect(seen).toEqual(['m1', 'm2', 'm3', 'm4']);
  expect(service.asked.map(({ after }) => after)).toEqual([null, 'm2', 'm3']);
});

test('a receiver that crashes at random misses nothing, and repeats nothing between crashes', async () => {
  const service = await startFeed(200);
  const random = seeded(7);
  const handled: string[] = [];
  while (new Set(handled).size < 200) {
    const life: string[] = [];
    const messages = feed(service.client, WEBHOOK, { limit: 1 + Math.floor(random() * 20) });
    do {
      const { value } = await messages.next();
      if (value) life.push(value.id);
    } while (random() > 0.1 && life.at(-1) !== 'm200');
    expect(new Set(life).size).toBe(life.length);
    // The first message after a crash follows the last acknowledged one, so there is no gap.
    expect(Number(life[0]?.slice(1))).toBeLessThanOrEqual(
      handled.length === 0 ? 1 : 1 + Number(handled.at(-1)?.slice(1)),
    );
    handled.push(...life);
  }
  expect([...new Set(handled)]).toEqual(service.messages.map(({ id }) => id));
});

test('feed accepts a webhook token, returns signed events, and does not repeat acknowledged events', async () => {
  const world = await createFeedWorld();
  const home = await world.furnish();
  const client = createClient({ baseUrl: world.url, token: home.token });
  await home.fall();
  await home.fall();
  const webhookId = home.at.split('/').at(-1) ?? '';
  const messages = feed(client, webhookId);
  const first = (await messages.next()).value;
  const second = (await messages.next()).value;
  await messages.return();
  await expect(verify(first?.headers ?? {}, first?.body ?? '', SECRET)).resolves.toEqual({
    id: first?.headers['webhook-id'],
    sentAt: expect.any(Number),
  });
  expect((await feed(client, webhookId).next()).value?.id).toBe(second?.id);
  await world.stop();
});

test('feed ends when aborted while waiting for a message', async () => {
  const service = await startFeed(0);
  const abort = new AbortController();
  const reading = read(service, 1, { signal: abort.signal });
  while (service.asked.length === 0) await new Promise(setImmediate);
  abort.abort();
  expect(await reading).toEqual([]);
});
