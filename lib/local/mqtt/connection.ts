import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The kind of a packet that carries a message: the first four bits. */
const PUBLISH = 3;

/** The length in a fixed header: seven bits a byte, the lowest first. */
const lengthIn = ([, ...digits]: readonly number[]): number =>
  digits.reduce((sum, byte, at) => sum + (byte & 127) * 128 ** at, 0);
const digitsOf = (length: number): number[] =>
  length < 128 ? [length] : [(length % 128) | 128, ...digitsOf(Math.floor(length / 128))];

/**
 * Creates a function that looks at the bytes of a connection as they arrive, packet by packet, and gives what goes on.
 * Of a PUBLISH of more than `most` bytes only the first `most` do: so it is refused as too large and acknowledged, where
 * a client whose connection ended would send it again for ever. It gives null once any other packet declares more
 * (the first packet: `first`), or an invalid length. Nothing else is buffered.
 * https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718023
 */
export const createFrames = (most: number, first = most): ((chunk: Uint8Array) => Uint8Array | null) => {
  let bound = first;
  /** The fixed header of the packet as far as it came, and how many bytes behind it still come: to go on, and not to. */
  let head: number[] = [];
  let kept = 0;
  let dropped = 0;
  /** Reads one byte of a fixed header. Gives the whole of it, as it goes on, once it is there; null if it may not be. */
  const read = (byte: number): number[] | null => {
    head.push(byte);
    if (head.length === 1) return [];
    if (byte > 127) return head.length > 4 ? null : [];
    const [kind = 0] = head;
    const length = lengthIn(head);
    if (length > bound && kind >> 4 !== PUBLISH) return null;
    kept = Math.min(length, bound);
    dropped = length - kept;
    head = [];
    bound = most;
    return [kind, ...digitsOf(kept)];
  };
  return (chunk) => {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < chunk.length; ) {
      const rest = chunk.subarray(at, at + (kept || dropped));
      if (rest.length === 0) {
        const header = read(chunk[at] ?? 0);
        at += 1;
        if (header === null) return null;
        pieces.push(Uint8Array.from(header));
      } else if (kept > 0) {
        pieces.push(rest);
        kept -= rest.length;
      } else {
        dropped -= rest.length;
      }
      at += rest.length;
    }
    return Buffer.concat(pieces);
  };
};

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
