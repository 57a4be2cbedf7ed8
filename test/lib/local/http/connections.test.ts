import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { closerOf } from '#lib/local/http/connections.ts';

const MINUTE = 60_000;

/** A server, and a connection to it on which `said` was said; `heard` is everything that comes back until its end. */
const talk = async (answer: RequestListener, said: string, graceMs?: number) => {
  const server = createServer(answer);
  const close = closerOf(server, graceMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk));
  // A reset is an end too.
  socket.on('error', () => undefined);
  const ended = once(socket, 'close').then(() => Buffer.concat(heard).toString());
  const [connected] = await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  if (said !== '') {
    socket.write(said);
    await once(connected[0], 'data');
  }
  return { close, ended };
};

describe('a server that is closed', () => {
  test.each([
    ['says nothing', ''],
    ['has not come to the end of its headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('waits for nobody who is connected and %s', async (_, said) => {
    const { close, ended } = await talk(() => undefined, said, MINUTE);
    await close();
    expect(await ended).toBe('');
  });

  test('first answers the running call', async () => {
    const begun = Promise.withResolvers<() => void>();
    const answer: RequestListener = (_, response) => begun.resolve(() => response.end('done'));
    const { close, ended } = await talk(answer, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', MINUTE);
    const finish = await begun.promise;
    const closed = close();
    finish();
    await closed;
    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK.*done/s);
  });

  test('cuts off a call that does not end, after its graceMs', async () => {
    const endless = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';
    const { close, ended } = await talk(() => undefined, endless, 20);
    await close();
    expect(await ended).toBe('');
  });
});
