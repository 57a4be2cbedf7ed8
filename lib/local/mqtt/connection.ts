import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { createFrames } from './frames.ts';

/** What a connection has to say when it ends may take so long (ms): who does not read it is not waited for. */
const LAST_WORDS = 1_000;

/** A socket of which no packet is gathered that is larger than `most` bytes: such a connection ends. */
export const bounded = (socket: Socket, most: number): Duplex => {
  const fits = createFrames(most);
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
    if (!fits(chunk)) connection.destroy(new Error('a packet is too large'));
    else if (!connection.push(chunk)) socket.pause();
  });
  socket.on('end', () => connection.push(null));
  socket.on('close', () => connection.destroy());
  socket.on('error', (error) => connection.destroy(error));
  return connection;
};
