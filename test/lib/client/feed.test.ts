import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createClient } from '../../../lib/client/client.ts';
import { type FeedOptions, feed } from '../../../lib/client/feed.ts';

const WEBHOOK = '0b9c4d8e-6f1a-4b7e-9c55-3f3d2f1e0a01';
type Asked = { after: string | null; limit: string | null; wait: string | null };

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ending.splice(0).map((end) => end()));
});

/** A service with the feed of one webhook, as the API describes it; `fault` answers instead of it. */
const startFeed = async (count: number, fault: (calls: number) => number | 'cut' | null = () => null) => {
  const messages = Array.from({ length: count }, (_, at) => ({
    ...{ id: `m${at + 1}`, createDate: 1_795_240_000_000 + at },
    ...{ headers: { 'webhook-id': `m${at + 1}` }, body: `{"at":${at + 1}}` },
  }));
  const asked: Asked[] = [];
  let taken = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    asked.push({ after: query.get('after'), limit: query.get('limit'), wait: query.get('wait') });
    const failure = fault(asked.length);
    if (failure === 'cut') return void response.destroy();
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (failure !== null) return void answer(failure, { message: `a ${failure}` });
    if (pathname !== `/webhooks/${WEBHOOK}/feed` || request.headers.authorization !== 'Bearer the-token')
      return void answer(404, { message: 'no such webhook' });
    const at = messages.findIndex(({ id }) => id === query.get('after'));
    if (query.has('after') && at < 0) return void answer(404, { message: 'no such message' });
    taken = Math.max(taken, at + 1);
    const rest = messages.slice(taken, taken + Number(query.get('limit')));
    // Nothing more will come: the wait of this call has no end.
    if (rest.length > 0 || query.get('wait') === '0') answer(200, rest);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createClient({ baseUrl, token: 'the-token', pause: async () => {} });
  return { client, asked, taken: () => taken };
};

/** Reads a feed until so many messages came. Gives their ids. */
const read = async ({ client }: Awaited<ReturnType<typeof startFeed>>, count: number, options: FeedOptions = {}) => {
  const ids: string[] = [];
  for await (const { id } of feed(client, WEBHOOK, options)) {
    ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
};

test('gives the messages in their order with headers and bodies, and asks on behind the last one', async () => {
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

test('a message is never acknowledged before the next one was asked for', async () => {
  const service = await startFeed(3);
  const messages = feed(service.client, WEBHOOK, { limit: 1 });
  await messages.next();
  expect(service.taken()).toBe(0);
  await messages.next();
  expect(service.taken()).toBe(1);
  await messages.return();
});

test('leaving the loop acknowledges what came before the last message, which the next feed gives again', async () => {
  const service = await startFeed(5);
  expect(await read(service, 3)).toEqual(['m1', 'm2', 'm3']);
  expect(service.taken()).toBe(2);
  expect(service.asked.at(-1)).toEqual({ after: 'm2', limit: '1', wait: '0' });
  expect(await read(service, 1)).toEqual(['m3']);
});

test('a receiver that throws leaves its message to the next feed', async () => {
  const service = await startFeed(2);
  const fail = async () => {
    for await (const { id } of feed(service.client, WEBHOOK)) if (id === 'm2') throw new Error('disk full');
  };
  await expect(fail()).rejects.toThrow('disk full');
  expect(service.taken()).toBe(1);
});

test('what the service cannot answer is asked again, later each time, and told', async () => {
  const service = await startFeed(1, (calls) => [500, 'cut', 502, null][calls - 1] as number | 'cut' | null);
  const told: number[] = [];
  const waited: number[] = [];
  const options = {
    onTrouble: (_: unknown, seconds: number) => told.push(seconds),
    pause: async (seconds: number) => void waited.push(seconds),
  };
  expect(await read(service, 1, options)).toEqual(['m1']);
  expect([told, waited]).toEqual([
    [1, 2, 4],
    [1, 2, 4],
  ]);
});

test.each([401, 403, 404, 409])('a %i is thrown: it would be the same again', async (status) => {
  const service = await startFeed(1, () => status);
  await expect(read(service, 1)).rejects.toMatchObject({ name: 'Problem', status });
  expect(service.asked).toHaveLength(1);
});

test('a feed that waits for a message ends when it is aborted', async () => {
  const service = await startFeed(0);
  const abort = new AbortController();
  const reading = read(service, 1, { signal: abort.signal });
  while (service.asked.length === 0) await new Promise(setImmediate);
  abort.abort();
  expect(await reading).toEqual([]);
});
