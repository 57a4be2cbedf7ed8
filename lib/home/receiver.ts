import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verify, verifySimple } from '#lib/client/verify.ts';

/** A request with its whole body, and when (ms) it arrived. */
export type Received = { headers: IncomingHttpHeaders; body: string; at: number };
type Take = (request: Received, response: ServerResponse) => void | Promise<void>;

/** Lets a server listen on loopback, and calls `take` with each request once its body is complete. */
export const listen = async (server: Server, take: Take, port = 0) => {
  server.on('request', (request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () =>
      take({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }, response),
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
 * Starts a receiver of webhooks on loopback, such as a nurse-call system has. It keeps the requests that it gets, and
 * answers 200 unless `behave` answers otherwise; where that throws, the answer is 500.
 */
export const startReceiver = async (
  behave: (request: Received, response: ServerResponse, count: number) => void = (_, response) =>
    void response.end('ok'),
  port = 0,
) => {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const take: Take = (request, response) => {
    received.push(request);
    try {
      behave(request, response, received.length);
    } catch {
      response.writeHead(500).end();
    }
    for (const wake of waiting.splice(0)) wake();
  };
  const { port: own, stop } = await listen(createServer(), take, port);
  return {
    url: `http://127.0.0.1:${own}/hook`,
    received,
    /** Resolves with all requests once `count` of them have arrived. There is no timeout. */
    until: async (count: number): Promise<Received[]> => {
      while (received.length < count) await new Promise<void>((wake) => waiting.push(wake));
      return received;
    },
    stop,
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Whether both signatures of a request are right, and the request was fresh when it arrived. */
export const isSigned = async ({ headers, body, at }: Received, secret: string): Promise<boolean> => {
  const checks = [verify(headers, body, secret, { now: at }), verifySimple(headers, body, secret)];
  return (await Promise.allSettled(checks)).every(({ status }) => status === 'fulfilled');
};
