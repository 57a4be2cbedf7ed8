import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createBodies } from '#lib/local/http/bodies.ts';
import { createHttpServer } from '#lib/local/http/http-server.ts';

const KIB = 1_024;
const MIB = 1_024 * KIB;
/**
 * The maximum number of bytes that a socket delivers at once, and therefore the most by which a limit can be exceeded.
 */
const CHUNK = 64 * KIB;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A server that responds to each request with the number of body bytes read. */
const start = async (limits: Parameters<typeof createBodies>[0], isKnown = false) => {
  const bodies = createBodies(limits);
  const { server, open } = createHttpServer({ version: '1', onError: () => undefined });
  const seen = { most: 0 };
  server.on('request', (request) =>
    request.on('data', () => {
      setImmediate(() => {
        seen.most = Math.max(seen.most, bodies.held());
      });
    }),
  );
  open(async (request) => {
    const body = await bodies.read(request, async () => isKnown);
    return (response) => void response.setHeader('x-size', body.length).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { bodies, seen, port: (server.address() as AddressInfo).port };
};

/** Announces a body of one size but sends less. Returns the response headers. */
const upload = (port: number, announced: number, sent: number) => {
  const socket: Socket = connect(port, '127.0.0.1');
  cleanUps.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${announced}\r\n\r\n`);
  socket.write(Buffer.alloc(sent));
  return once(socket, 'data').then(([head]) => String(head));
};
const times = <T>(count: number, act: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => act(at));
const statusOf = (head: string) => Number(head.split(' ')[1]);
const sizeOf = (head: string) => Number(/x-size: (\d+)/.exec(head)?.[1]);

describe('unfinished unauthenticated uploads', () => {
  test('each of 40 concurrent 8 MiB uploads gets a response after 256 KiB', async () => {
    const { bodies, seen, port } = await start({});
    const heads = await Promise.all(times(40, () => upload(port, 8 * MIB, 512 * KIB)));
    expect(heads.map(statusOf)).toEqual(times(40, () => 200));
    for (const size of heads.map(sizeOf)) {
      expect(size).toBeGreaterThan(256 * KIB);
      expect(size).toBeLessThanOrEqual(256 * KIB + CHUNK);
    }
    expect(seen.most).toBeLessThanOrEqual(40 * (256 * KIB + CHUNK));
    expect(bodies.held()).toBe(0);
  });

  test('slow uploads get a 408 response and free memory', async () => {
    const { bodies, port } = await start({ timeout: 50 });
    const heads = await Promise.all(times(40, () => upload(port, 8 * MIB, 100 * KIB)));
    expect(heads.map(statusOf)).toEqual(times(40, () => 408));
    expect(heads[0]).toMatch(/cache-control: no-store.*"statusCode":408/is);
    expect(bodies.held()).toBe(0);
  });

  test('the oldest upload is rejected when uploads are too large in total', async () => {
    const { bodies, seen, port } = await start({ maxHeld: MIB });
    const slow = [];
    for (const _ of times(8, () => null)) {
      const before = bodies.held();
      slow.push(upload(port, 250 * KIB, 200 * KIB));
      while (bodies.held() < Math.min(before + 200 * KIB, MIB - 200 * KIB)) await new Promise(setImmediate);
    }
    expect(statusOf(await (slow[0] as Promise<string>))).toBe(408);
    expect(sizeOf(await upload(port, 200 * KIB, 200 * KIB))).toBe(200 * KIB);
    expect(seen.most).toBeLessThanOrEqual(MIB);
  });
});

test('the host reads a 1 MiB body from a registered device', async () => {
  const { port } = await start({}, true);
  expect(sizeOf(await upload(port, MIB, MIB))).toBe(MIB);
  expect(sizeOf(await upload(port, 8 * MIB, 2 * MIB))).toBeLessThanOrEqual(MIB + CHUNK);
});
