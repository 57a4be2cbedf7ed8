import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createFrames } from './frames.ts';

/** When a connection ends, its last packets have so many ms to be sent; a client that does not read them is cut off. */
const LAST_WORDS = 1_000;

/**
 * Wraps a socket so that no packet larger than `most` bytes, and no first packet larger than `first`, is buffered: a
 * message is cut, and the connection of another such packet ends.
 */
export const bounded = (socket: Socket, most: number, first: number): Duplex => {
  const passing = createFrames(most, first);
  const connection = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroySoon();
      setTimeout(() => socket.destroy(), LAST_WORDS).unref();
      done(error);
    },
  });
  socket.on('data', (chunk) => {
    const bytes = passing(chunk);
    if (bytes === null) connection.destroy(new Error('a packet is too large'));
    else if (bytes.length > 0 && !connection.push(bytes)) socket.pause();
  });
  socket.on('end', () => connection.push(null));
  socket.on('close', () => connection.destroy());
  socket.on('error', (error) => connection.destroy(error));
  return connection;
};
