import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verify, verifySimple } from '#lib/client/verify.ts';

/** A request with its complete body and the time (ms) it arrived. */
export type Received = { headers: IncomingHttpHeaders; body: string; at: number };
type Handle = (request: Received, response: ServerResponse) => void | Promise<void>;

/** Starts listening on loopback, and calls `handle` for each request once the body is complete. */
export const listen = async (server: Server, handle: Handle, port = 0) => {
  server.on('request', (request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      handle({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }, response),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/**
 * Starts a webhook receiver on loopback, like one in a nurse-call system. It stores received requests and responds with
 * 200 unless `behave` sends another response. If `behave` throws, it responds with 500.
 */
export const startReceiver = async (
  behave: (request: Received, response: ServerResponse, count: number) => void = (_, response) =>
    void response.end('ok'),
  port = 0,
) => {
  const received: Received[] = [];
  const waiters: (() => void)[] = [];
  const handle: Handle = (request, response) => {
    received.push(request);
    try {
      behave(request, response, received.length);
    } catch {
      response.writeHead(500).end();
    }
    for (const wake of waiters.splice(0)) wake();
  };
  const { port: actualPort, stop } = await listen(createServer(), handle, port);
  return {
    url: `http://127.0.0.1:${actualPort}/hook`,
    received,
    /** Resolves with all requests once `count` of them have arrived. There is no timeout. */
    until: async (count: number): Promise<Received[]> => {
      while (received.length < count) await new Promise<void>((wake) => waiters.push(wake));
      return received;
    },
    stop,
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Whether a request was recent when it arrived and both signatures are valid. */
export const isSigned = async ({ headers, body, at }: Received, secret: string): Promise<boolean> => {
  const checks = [verify(headers, body, secret, { now: at }), verifySimple(headers, body, secret)];
  return (await Promise.allSettled(checks)).every(({ status }) => status === 'fulfilled');
};
