import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { createHttpServer } from '#lib/local/http/http-server.ts';
import { drawToken } from '#shared/auth/tokens.ts';
import { sendRaw } from '#test/contracts/raw.ts';
import { responseFaults } from '#test/contracts/response-format.ts';
import { clientOf, read, register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

/** Sends bytes. Returns the response once the connection has ended. */
const sendBytes = async (bytes: string, port = Number(new URL(cloud.url).port)) => {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'end');
  socket.destroy();
  const [head = '', text = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']);
  const headers = new Headers(pairs);
  return { status: Number(first.split(' ')[1]), headers, ...read(headers, Buffer.from(text)) };
};

test.each([
  ['bytes that are not HTTP', 'Is anybody there?\r\n\r\n'],
  ['an unknown HTTP version', 'GET /api/v1/server/config HTTP/9.9\r\n\r\n'],
  ['too many headers', `GET /api/v1/server/config HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  [
    'two Content-Length headers',
    'POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
  ],
  ['a missing Host header', 'GET /api/v1/server/config HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Host headers', 'GET /api/v1/server/config HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
  ['a broken chunk', 'POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('the host responds with 400 to %s, in the usual format, and closes the connection', async (_, bytes) => {
  const answer = await sendBytes(bytes);
  expect([answer.status, responseFaults(answer)]).toEqual([400, []]);
});

test('the host accepts a full URL as the request target', async () => {
  const answer = await sendRaw(cloud.url, { method: 'GET', path: `${cloud.url}/server/config` });
  expect([answer.status, responseFaults(answer)]).toEqual([200, []]);
});

test('the host responds with 417 to an unknown expectation, and accepts HTTP/1.0 without Host', async () => {
  const expecting = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
  const answer = await sendBytes(expecting);
  expect([answer.status, responseFaults(answer)]).toEqual([417, []]);
  const old = await sendBytes('GET /api/v1/health HTTP/1.0\r\n\r\n');
  expect([old.status, responseFaults(old)]).toEqual([200, []]);
});

describe('an endless upload', () => {
  const KIB = 1_024;
  /** Returns the response status while the body is still being sent. */
  const upload = async (path: string, headers: string, size: number) => {
    const socket = connect(Number(new URL(cloud.url).port), '127.0.0.1');
    socket.write(`POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n${headers}\r\n`);
    socket.write(Buffer.alloc(size, ' '));
    const [head] = await once(socket, 'data');
    socket.destroy();
    return Number(String(head).split(' ')[1]);
  };
  const json = 'Content-Type: application/json\r\n';
  const forged = `${json}Authorization: Bearer ${drawToken('device', (bytes) => new Uint8Array(bytes))}\r\n`;
  const messages = `/devices/id_${'0'.repeat(23)}/messages`;

  test.each([
    ['a login', '/users/login', json, 413],
    ['an anonymous device', messages, json, 401],
    ['an unregistered device', messages, forged, 401],
    ['an unknown path', '/nothing', json, 404],
  ])('an endless upload gets a response after 256 KiB for %s', async (_, path, headers, status) => {
    expect(await upload(path, headers, 320 * KIB)).toBe(status);
  });

  test('an endless upload gets a response after 1 MiB for a registered device', async () => {
    const { deviceToken, sensorId } = await register(clientOf(cloud.url), PROVISIONING_KEY, '02:00:5E:10:77:01');
    const headers = `${json}Authorization: Bearer ${deviceToken}\r\n`;
    expect(await upload(`/devices/${sensorId}/messages`, headers, 1_100 * KIB)).toBe(413);
    const device = clientOf(cloud.url, deviceToken);
    const padded = `[{"type":5,"payload":{"status":"calling"}}${' '.repeat(900 * KIB)}]`;
    expect((await device.call('POST', `/devices/${sensorId}/messages`, padded)).status).toBe(202);
  });
});

test('the host responds with 408 to endless headers and closes the connection', async () => {
  const limits = { headersTimeout: 30, connectionsCheckingInterval: 10 };
  const { server } = createHttpServer({ version: '1', onError: () => undefined, limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await sendBytes('GET / HTTP/1.1\r\nHost: x\r\n', (server.address() as AddressInfo).port);
  expect([answer.status, responseFaults(answer)]).toEqual([408, []]);
  server.close();
});

test('the host responds with 503 and Retry-After while it starts', async () => {
  const early: Promise<Response>[] = [];
  const starting = await startTestCloud({
    wrap: (runtime) => {
      early.push(fetch(`${runtime.settings.PUBLIC_URL}/api/v1/health`));
      return runtime;
    },
  });
  const [response = new Response()] = await Promise.all(early);
  const text = await response.text();
  const answer = { status: response.status, headers: response.headers, ...read(response.headers, Buffer.from(text)) };
  expect([answer.status, answer.headers.get('retry-after'), responseFaults(answer)]).toEqual([503, '1', []]);
  expect((await clientOf(starting.url).call('GET', '/health')).status).toBe(200);
  await starting.stop();
});
