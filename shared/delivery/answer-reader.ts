import type { Socket } from 'node:net';
import { type AnswerHead, readHead, statusIn } from './answer-head.ts';

/** The maximum head size (bytes) to read, including any 1xx responses before it. */
const MAX_HEAD_BYTES = 65_536;
/** The number of bytes to keep if the input is not a response. */
const MAX_KEPT_BYTES = 200;
const SWITCHING_PROTOCOLS = 101;
const NOTHING = Buffer.alloc(0);

/**
 * The part of a response read so far. `start`: the first bytes. `isRefused`: these bytes are not an HTTP/1.0 or
 * HTTP/1.1 response.
 */
export type Answer = { head: AnswerHead | null; start: Buffer; isRefused: boolean };

/** Why no more bytes arrive. `eof`: the connection ended. `failure`: an error occurred or the deadline passed. */
type Ending = 'eof' | 'failure';

/**
 * Reads a single response. `take` returns the bytes the Node parser gets in place of a chunk: first a well-formed head
 * for whatever was received, then the unchanged body. `end` returns the bytes the parser gets before the connection
 * ends.
 */
type AnswerReader = { answer: Answer; take: (chunk: Buffer) => Buffer; end: (ending: Ending) => Buffer };

const isInterim = (status: number): boolean => status < 200;
const mayBeginStatusLine = (text: string): boolean => 'HTTP/1.'.startsWith(text.slice(0, 7));
/** Where a head ends: the first empty line. */
const HEAD_END = /\r{0,2}\n\r{0,2}\n/g;
const LONGEST_END = 6;

/** Returns the status in the first line, null until that line is complete, or `none` if it is not a status line. */
const statusOf = (text: string): number | null | 'none' => {
  const lineEnd = text.indexOf('\n');
  return lineEnd < 0 ? null : (statusIn(text.slice(0, lineEnd).trimEnd()) ?? 'none');
};

export const createAnswerReader = (onHead: () => void): AnswerReader => {
  const answer: Answer = { head: null, start: NOTHING, isRefused: false };
  /** The bytes not read yet, decoded as Latin-1. */
  let text = '';
  let size = 0;

  const refuse = (): Buffer => {
    answer.isRefused = true;
    return NOTHING;
  };
  const complete = (head: string, end: string, body: string): Buffer => {
    answer.head = readHead(head, end);
    onHead();
    return Buffer.from(answer.head.forParser + body, 'latin1');
  };
  /** Ends a response that stops within its head. */
  const cut = (status: number | null | 'none'): Buffer => {
    if (status === null || (status !== 'none' && isInterim(status))) return NOTHING;
    if (status === 'none') return refuse();
    // The last line may be incomplete, in which case its value would be wrong.
    return complete(text.slice(0, text.lastIndexOf('\n')).trimEnd(), '', '');
  };

  /** Reads all complete heads in the text, starting at `from`. */
  const readHeads = (from: number): Buffer => {
    // Like Node, skips empty lines before the status line.
    text = text.replace(/^[\r\n]+/, '');
    const status = statusOf(text);
    if (status === 'none' || status === SWITCHING_PROTOCOLS) return refuse();
    HEAD_END.lastIndex = Math.max(0, from);
    const found = status === null ? null : HEAD_END.exec(text);
    if (!found || status === null) return NOTHING;
    const [end] = found;
    const head = text.slice(0, found.index);
    text = text.slice(found.index + end.length);
    return isInterim(status) ? readHeads(0) : complete(head, end, text);
  };

  const take = (chunk: Buffer): Buffer => {
    if (answer.head) return chunk;
    const { start } = answer;
    if (start.length === 0) answer.start = chunk.subarray(0, MAX_KEPT_BYTES);
    else if (start.length < MAX_KEPT_BYTES) answer.start = Buffer.concat([start, chunk]).subarray(0, MAX_KEPT_BYTES);
    const scanned = text.length - LONGEST_END;
    text += chunk.toString('latin1');
    size += chunk.length;
    const bytes = readHeads(scanned);
    if (answer.head || answer.isRefused || size <= MAX_HEAD_BYTES) return bytes;
    const status = statusOf(text);
    return status === null || (status !== 'none' && isInterim(status)) ? refuse() : cut(status);
  };

  const end = (ending: Ending): Buffer => {
    if (answer.head || answer.isRefused || text === '') return NOTHING;
    // The end of the connection also ends a line.
    if (ending === 'eof') text += '\n';
    const status = statusOf(text);
    return status === null && !mayBeginStatusLine(text)
      ? refuse()
      : cut(status === SWITCHING_PROTOCOLS ? 'none' : status);
  };
  return { answer, take, end };
};

const readers = new WeakMap<Socket, { current: AnswerReader | null }>();

/**
 * Lets a reader read a socket until the returned function is called. Bytes that arrive without an attached reader
 * belong to no request, so they close the connection.
 */
export const attachReader = (socket: Socket, reader: AnswerReader): (() => void) => {
  const slot = readers.get(socket) ?? interceptReads(socket);
  slot.current = reader;
  return () => {
    if (slot.current === reader) slot.current = null;
  };
};

const interceptReads = (socket: Socket) => {
  const slot: { current: AnswerReader | null } = { current: null };
  readers.set(socket, slot);
  // A socket pushes received bytes to its reader, which is normally the Node parser. That parser cannot read the head,
  // because it refuses some heads that browsers accept, even in lenient mode, and it does not report what it tolerated.
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null) => {
    const reader = slot.current;
    if (chunk === null) {
      const head = reader?.end('eof') ?? NOTHING;
      if (head.length > 0) push(head);
      return push(null);
    }
    const bytes = reader?.take(chunk);
    if (!bytes || reader?.answer.isRefused) {
      socket.destroy(new Error('unexpected bytes'));
      return false;
    }
    return bytes.length === 0 || push(bytes);
  };
  return slot;
};
