import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '../../../lib/local/cloud.ts';
import { send } from '../../contracts/raw.ts';
import { complaintsOf } from '../../contracts/sound.ts';
import { read } from '../../fixtures/client.ts';
import { startTestCloud } from '../../fixtures/cloud.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

/** What comes back for some bytes until the connection ends. */
const say = async (bytes: string) => {
  const socket = connect(Number(new URL(cloud.url).port), '127.0.0.1');
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
  ['a broken chunk', 'POST /api/v1/users/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
])('%s is a bad request like any other, and ends the connection', async (_, bytes) => {
  const answer = await say(bytes);
  expect([answer.status, complaintsOf(answer)]).toEqual([400, []]);
});

test('a whole URL is as good a target as its path', async () => {
  const answer = await send(cloud.url, { method: 'GET', path: `${cloud.url}/server/config` });
  expect([answer.status, complaintsOf(answer)]).toEqual([200, []]);
});
