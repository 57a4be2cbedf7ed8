import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long (ms) closing waits for running requests, including requests that never end. */
const GRACE_MS = 5_000;

/**
 * Returns a function that closes a server cleanly: running requests get their response, and idle connections are closed
 * at once. Node itself would wait even for connections with no request, which browsers open in advance. Call this
 * before the server accepts connections, because it tracks them.
 */
export const createCloser = (server: Server, graceMs = GRACE_MS): (() => Promise<void>) => {
  const idle = new Set<Socket>();
  let isClosing = false;
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (isClosing) socket.end();
      else if (!socket.destroyed) idle.add(socket);
    });
  });
  return async () => {
    const closed = once(server, 'close');
    isClosing = true;
    server.close();
    for (const socket of idle) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  };
};
