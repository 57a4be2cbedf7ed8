import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createCloser } from '#lib/local/http/connections.ts';

const MINUTE = 60_000;

/** A server and a connection with bytes sent on it. `ended` resolves to everything received. */
const talk = async (listener: RequestListener, bytes: string, graceMs?: number) => {
  const server = createServer(listener);
  const close = createCloser(server, graceMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  // A reset also ends the connection.
  socket.on('error', () => undefined);
  const ended = once(socket, 'close').then(() => Buffer.concat(received).toString());
  const [connected] = await Promise.all([once(server, 'connection'), once(socket, 'connect')]);
  if (bytes !== '') {
    socket.write(bytes);
    await once(connected[0], 'data');
  }
  return { close, ended };
};

describe('closing a server', () => {
  test.each([
    ['sends nothing', ''],
    ['has not finished its headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ])('does not wait for a client that %s', async (_, bytes) => {
    const { close, ended } = await talk(() => undefined, bytes, MINUTE);
    await close();
    expect(await ended).toBe('');
  });

  test('waits for the response to a running request', async () => {
    const started = Promise.withResolvers<() => void>();
    const listener: RequestListener = (_, response) => started.resolve(() => response.end('done'));
    const { close, ended } = await talk(listener, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', MINUTE);
    const finish = await started.promise;
    const closed = close();
    finish();
    await closed;
    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK.*done/s);
  });

  test('cuts off a request still unfinished after graceMs', async () => {
    const endless = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';
    const { close, ended } = await talk(() => undefined, endless, 20);
    await close();
    expect(await ended).toBe('');
  });
});
