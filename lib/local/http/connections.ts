import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long (ms) closing waits for running calls, including those whose request never ends. */
const GRACE_MS = 5_000;

/**
 * Gives a function that closes a server cleanly: running calls are answered, and connections without a call are
 * closed at once. Node itself would wait for connections that never sent a request, which browsers open in advance.
 * Call it before the server gets connections, because it tracks them.
 */
export const closerOf = (server: Server, graceMs = GRACE_MS): (() => Promise<void>) => {
  const quiet = new Set<Socket>();
  let isClosing = false;
  server.on('connection', (socket) => {
    quiet.add(socket);
    socket.once('close', () => quiet.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    quiet.delete(socket);
    response.once('close', () => {
      if (isClosing) socket.end();
      else if (!socket.destroyed) quiet.add(socket);
    });
  });
  return async () => {
    const closed = once(server, 'close');
    isClosing = true;
    server.close();
    for (const socket of quiet) socket.destroy();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  };
};
