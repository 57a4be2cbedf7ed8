import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** How long calls under way are waited for, ms: those whose sender doesn't come to an end, too. */
const GRACE_MS = 5_000;

/**
 * Closes a server that is followed from its start: calls under way are answered, and whoever is connected without one is
 * not waited for. Node waits for those who never said anything, as browsers do that connect ahead of need.
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
