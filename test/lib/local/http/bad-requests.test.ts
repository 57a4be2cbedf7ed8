import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { createHttpServer } from '#lib/local/http/http-server.ts';
import { drawToken } from '#shared/auth/tokens.ts';
import { send } from '#test/contracts/raw.ts';
import { complaintsOf } from '#test/contracts/sound.ts';
import { clientOf, read, register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY, startTestCloud } from '#test/fixtures/cloud.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

/** What comes back for some bytes until the connection ends. */
const say = async (bytes: string, port = Number(new URL(cloud.url).port)) => {
  const socket = connect(port, '127.0.0.1');
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk));
  socket.write(bytes);
  await once(socket, 'end');
  socket.destroy();
  const [head = '', text = ''] = Buffer.concat(heard).toString().split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']);
  const headers = new Headers(pairs);
  return { status: Number(first.split(' ')[1]), headers, ...read(headers, Buffer.from(text)) };
};

test.each([
  ['no HTTP', 'Is anybody there?\r\n\r\n'],
  ['another version', 'GET /api/v1/server/config HTTP/9.9\r\n\r\n'],
  ['too many headers', `GET /api/v1/server/config HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['two lengths', 'POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
  ['no Host', 'GET /api/v1/server/config HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET /api/v1/server/config HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
  ['a broken chunk', 'POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('%s is a bad request like any other, and ends the connection', async (_, bytes) => {
  const answer = await say(bytes);
  expect([answer.status, complaintsOf(answer)]).toEqual([400, []]);
});

test('a request target may be a whole URL instead of a path', async () => {
  const answer = await send(cloud.url, { method: 'GET', path: `${cloud.url}/server/config` });
  expect([answer.status, complaintsOf(answer)]).toEqual([200, []]);
});

test('an unknown expectation is a 417 with the body and the headers of every answer; HTTP/1.0 needs no Host', async () => {
  const expecting = 'GET /api/v1/health HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
  const answer = await say(expecting);
  expect([answer.status, complaintsOf(answer)]).toEqual([417, []]);
  const old = await say('GET /api/v1/health HTTP/1.0\r\n\r\n');
  expect([old.status, complaintsOf(old)]).toEqual([200, []]);
});

describe('an upload that does not end', () => {
  const KIB = 1_024;
  /** The head of what comes back while the body still lasts. */
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
    ['nobody', messages, json, 401],
    ['a device that is not registered', messages, forged, 401],
    ['no path', '/nothing', json, 404],
  ])('of %s is answered behind 256 KiB', async (_, path, headers, status) => {
    expect(await upload(path, headers, 320 * KIB)).toBe(status);
  });

  test('of a registered device is answered after 1 MiB', async () => {
    const { deviceToken, sensorId } = await register(clientOf(cloud.url), PROVISIONING_KEY, '02:00:5E:10:77:01');
    const headers = `${json}Authorization: Bearer ${deviceToken}\r\n`;
    expect(await upload(`/devices/${sensorId}/messages`, headers, 1_100 * KIB)).toBe(413);
    const device = clientOf(cloud.url, deviceToken);
    const padded = `[{"type":5,"payload":{"status":"calling"}}${' '.repeat(900 * KIB)}]`;
    expect((await device.call('POST', `/devices/${sensorId}/messages`, padded)).status).toBe(202);
  });
});

test('endless headers are a 408, and end the connection', async () => {
  const limits = { headersTimeout: 30, connectionsCheckingInterval: 10 };
  const { server } = createHttpServer({ version: '1', onError: () => undefined, limits });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await say('GET / HTTP/1.1\r\nHost: x\r\n', (server.address() as AddressInfo).port);
  expect([answer.status, complaintsOf(answer)]).toEqual([408, []]);
  server.close();
});

test('while a host starts, it answers 503 at once, with Retry-After', async () => {
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
  expect([answer.status, answer.headers.get('retry-after'), complaintsOf(answer)]).toEqual([503, '1', []]);
  expect((await clientOf(starting.url).call('GET', '/health')).status).toBe(200);
  await starting.stop();
});
