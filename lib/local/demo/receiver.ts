import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { headers: IncomingHttpHeaders; body: string; at: number };
type Behave = (request: Received, response: ServerResponse, count: number) => void;

/**
 * Starts a receiver of webhooks on loopback, as a nurse-call system has one. It keeps the requests that it gets, and
 * answers 200 unless `behave` answers otherwise; where that throws, the answer is 500.
 */
export const startReceiver = async (behave: Behave = (_, response) => void response.end('ok'), port = 0) => {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() };
      received.push(call);
      try {
        behave(call, response, received.length);
      } catch {
        response.writeHead(500).end();
      }
      for (const wake of waiting.splice(0)) wake();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** Resolves with all requests once `count` of them have arrived. There is no timeout. */
    until: async (count: number): Promise<Received[]> => {
      while (received.length < count) await new Promise<void>((wake) => waiting.push(wake));
      return received;
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
