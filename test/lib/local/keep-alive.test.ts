import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dynamodbJson } from '../../../lib/local/dynamodb-json.ts';
import { answerReader } from '../../../lib/local/http-answer.ts';
import { keepAliveSockets } from '../../../lib/local/keep-alive.ts';
import { createTable } from '../../../shared/store/client.ts';
import { TableUnavailable } from '../../../shared/store/unavailable.ts';
import { anyText } from '../../fixtures/any-text.ts';
import { startSilence } from '../../fixtures/silence.ts';

const key = { pk: 'P', sk: 'S' };
const requestOf = (body: string) =>
  `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: Error) => error,
  );

/** A server of tables, and its sockets. */
const serve = async (listener: RequestListener) => {
  const sockets = new Set<Socket>();
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, sockets, [Symbol.dispose]: stop };
};
const end =
  (body: string): RequestListener =>
  (_, response) =>
    void response.setHeader('Content-Length', Buffer.byteLength(body)).end(body);
const echo: RequestListener = async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  setTimeout(() => response.setHeader('Content-Length', body.length).end(body), 5);
};

test('an answer is the same however its bytes are divided', () => {
  fc.assert(
    fc.property(anyText(50), fc.array(fc.nat(200), { maxLength: 8 }), (text, cuts) => {
      const body = text.toWellFormed();
      const bytes = Buffer.from(
        `HTTP/1.1 200 OK\r\nserver: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      const places = [0, ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((to, at) => bytes.subarray(places[at], to));
      const read = answerReader();
      const twice = [...pieces, ...pieces].map(read).filter((answer) => answer !== null);
      expect(twice).toEqual([
        { status: 200, body },
        { status: 200, body },
      ]);
    }),
  );
});

describe('concurrent calls', () => {
  test('get their own answers over a limited number of connections, which are kept alive', async () => {
    using server = await serve(echo);
    const post = keepAliveSockets(server.url, 2_000, 5);
    const bodies = Array.from({ length: 40 }, (_, at) => `${at} ü${'x'.repeat(at * 5_000)}`);
    for (let round = 0; round < 2; round++)
      expect(await Promise.all(bodies.map((body) => post(requestOf(body))))).toEqual(
        bodies.map((body) => ({ status: 200, body })),
      );
    expect(server.sockets.size).toBe(5);
  });

  test('time out after the same time while they wait for a connection', async () => {
    await using silence = await startSilence();
    const post = keepAliveSockets(silence.url, 400, 1);
    const start = performance.now();
    const errors = await Promise.all(Array.from({ length: 5 }, () => errorOf(post(requestOf('')))));
    expect(errors.map((error) => error?.name)).toEqual(Array.from({ length: 5 }, () => 'TimeoutError'));
    // One after the other they would take five times as long.
    expect(performance.now() - start).toBeLessThan(5 * 400);
  });
});

describe('a call ends in time with a retryable error', () => {
  const tableAt = (url: string) => createTable(dynamodbJson(url, {}, 50), 'table');
  test.each([
    ['when nobody answers', ''],
    ['when an answer ends within its head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['when an answer ends within its body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'],
  ])('%s', async (_, begin) => {
    await using silence = await startSilence(begin);
    expect(await errorOf(tableAt(silence.url).get(key))).toBeInstanceOf(TableUnavailable);
    expect(silence.heard()).toBeGreaterThan(1);
  });

  test.each<[string, RequestListener]>([
    ['when the connection breaks', ({ socket }) => void socket.destroy()],
    [
      'when the connection breaks within an answer',
      ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'),
    ],
    [
      'when the server fails without a word',
      (_, response) => void response.writeHead(502, { 'Content-Length': 2 }).end('no'),
    ],
  ])('%s', async (_, listener) => {
    using server = await serve(listener);
    expect(await errorOf(tableAt(server.url).get(key))).toBeInstanceOf(TableUnavailable);
  });

  test('when nobody listens', async () => {
    const { url, [Symbol.dispose]: stop } = await serve(end('{}'));
    stop();
    expect(await errorOf(tableAt(url).get(key))).toBeInstanceOf(TableUnavailable);
  });

  test.each([
    ['no length', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['more than its length', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}{}'],
  ])('or at once, when an answer has %s', async (_, begin) => {
    await using silence = await startSilence(begin);
    expect(await errorOf(keepAliveSockets(silence.url, 5_000)(requestOf('')))).toMatchObject({ name: 'Error' });
  });
});

test('an idle connection that the server has closed is not used', async () => {
  using server = await serve(end('{}'));
  const post = keepAliveSockets(server.url, 2_000);
  for (let at = 0; at < 3; at++) {
    expect(await post(requestOf(''))).toEqual({ status: 200, body: '{}' });
    for (const socket of server.sockets) socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(server.sockets.size).toBe(3);
});

test('a process that was frozen loses one attempt to its dead connections, however many there are', async () => {
  const dead = new Set<Socket>();
  let lost = 0;
  using server = await serve((request, response) => {
    if (dead.has(request.socket)) lost += 1;
    else end('{}')(request, response);
  });
  const table = createTable(dynamodbJson(server.url, {}, 100), 'table');
  await Promise.all(Array.from({ length: 10 }, () => table.get(key)));
  for (const socket of server.sockets) dead.add(socket);
  expect(await table.get(key)).toBeNull();
  expect([dead.size, lost]).toEqual([10, 1]);
});
