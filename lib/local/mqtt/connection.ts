import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** The packet type for a message, in the first four bits. */
const PUBLISH = 3;

/** Returns the length in a fixed header: seven bits per byte, lowest first. */
const lengthIn = ([, ...digits]: readonly number[]): number =>
  digits.reduce((sum, byte, at) => sum + (byte & 127) * 128 ** at, 0);
const digitsOf = (length: number): number[] =>
  length < 128 ? [length] : [(length % 128) | 128, ...digitsOf(Math.floor(length / 128))];

/**
 * Returns a function that receives a connection's bytes as they arrive and returns the bytes to pass on. A PUBLISH
 * larger than `max` bytes is truncated to `max`. It is then rejected as too large and acknowledged, because a client
 * whose connection ended would resend it forever. The function returns null once any other packet declares more than
 * `max` bytes (the first packet: more than `maxFirst`) or an invalid length. Only the fixed header is buffered.
 * https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718023
 */
export const createFrames = (max: number, maxFirst = max): ((chunk: Uint8Array) => Uint8Array | null) => {
  let limit = maxFirst;
  /** The fixed header read so far. */
  let head: number[] = [];
  /** How many of the packet's remaining bytes to pass on, and how many to drop after that. */
  let kept = 0;
  let dropped = 0;
  /**
   * Reads one byte in a fixed header. Returns the complete header to pass on, [] while it is incomplete, or null if it
   * is not allowed.
   */
  const read = (byte: number): number[] | null => {
    head.push(byte);
    if (head.length === 1) return [];
    if (byte > 127) return head.length > 4 ? null : [];
    const [kind = 0] = head;
    const length = lengthIn(head);
    if (length > limit && kind >> 4 !== PUBLISH) return null;
    kept = Math.min(length, limit);
    dropped = length - kept;
    head = [];
    limit = max;
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

/** How long (ms) a connection's last packets may take before it is cut off. */
const LINGER_MS = 1_000;

/**
 * Wraps a socket so that no packet larger than `max` bytes, and no first packet larger than `maxFirst`, is buffered. A
 * larger message is truncated. Any other larger packet ends the connection.
 */
export const limitPackets = (socket: Socket, max: number, maxFirst: number): Duplex => {
  const pass = createFrames(max, maxFirst);
  const connection = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroySoon();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
      done(error);
    },
  });
  socket.on('data', (chunk) => {
    const bytes = pass(chunk);
    if (bytes === null) connection.destroy(new Error('a packet is too large'));
    else if (bytes.length > 0 && !connection.push(bytes)) socket.pause();
  });
  socket.on('end', () => connection.push(null));
  socket.on('close', () => connection.destroy());
  socket.on('error', (error) => connection.destroy(error));
  return connection;
};
