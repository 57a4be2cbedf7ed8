import type { Socket } from 'node:net';
import { type AnswerHead, readHead, statusIn } from './answer-head.ts';

/** The largest head (bytes) that is read, including the 1xx answers before it. */
const MAX_HEAD_BYTES = 65_536;
/** How much (bytes) is kept of what is no answer. */
const MAX_KEPT_BYTES = 200;
const LF = 10;
const SWITCHING_PROTOCOLS = 101;
const NOTHING = Buffer.alloc(0);

/** What was read of an answer. `start`: the first bytes. `isRefused`: they are no answer of HTTP/1.0 or 1.1. */
export type Answer = { head: AnswerHead | null; start: Buffer; isRefused: boolean };

/** Why no more bytes come: the connection ended, or there was an error or the deadline. */
type Ending = 'eof' | 'failure';

/**
 * Reads one answer. `take` returns the bytes that Node's parser gets in place of a chunk: a well-formed head for whatever
 * was received, then the body unchanged. `end` returns what it gets before the connection ends.
 */
export type AnswerReader = { answer: Answer; take: (chunk: Buffer) => Buffer; end: (ending: Ending) => Buffer };

const withoutCr = (text: string): string => {
  let { length } = text;
  while (text[length - 1] === '\r') length -= 1;
  return text.slice(0, length);
};

const isInterim = (status: number | null): boolean => status !== null && status < 200;
const mayBeginStatusLine = (text: string): boolean => 'HTTP/1.'.startsWith(text.trimStart().slice(0, 7));

export const createAnswerReader = (onHead: () => void): AnswerReader => {
  const answer: Answer = { head: null, start: NOTHING, isRefused: false };
  let lines: string[] = [];
  let hasCleanEnds = true;
  let unread: Buffer = NOTHING;
  let consumed = 0;

  const complete = (isCut: boolean): Buffer => {
    answer.head = readHead(lines, { hasCleanEnds, isCut });
    onHead();
    return Buffer.from(answer.head.forParser);
  };
  const refuse = (): void => {
    answer.isRefused = true;
  };

  /** Takes a line without its LF. Returns whether it ends the head of the answer. */
  const takeLine = (text: string): boolean => {
    const line = withoutCr(text);
    const [statusLine = line] = lines;
    // Like Node, skips empty lines before the status line.
    if (statusLine === '') return false;
    const status = statusIn(statusLine);
    if (status === null || status === SWITCHING_PROTOCOLS) refuse();
    hasCleanEnds &&= text === `${line}\r`;
    if (line !== '') lines.push(line);
    else if (isInterim(status)) lines = [];
    else return true;
    return false;
  };

  const hasStatus = (): boolean => lines.length > 0 && !isInterim(statusIn(lines[0] ?? ''));

  const take = (chunk: Buffer): Buffer => {
    if (answer.head) return chunk;
    if (answer.start.length < MAX_KEPT_BYTES)
      answer.start = Buffer.concat([answer.start, chunk]).subarray(0, MAX_KEPT_BYTES);
    const scanned = unread.length;
    unread = scanned === 0 ? chunk : Buffer.concat([unread, chunk]);
    for (let at = unread.indexOf(LF, scanned); at >= 0; at = unread.indexOf(LF)) {
      const isEnd = takeLine(unread.toString('latin1', 0, at));
      unread = unread.subarray(at + 1);
      consumed += at + 1;
      if (answer.isRefused) return NOTHING;
      if (isEnd) return Buffer.concat([complete(false), unread]);
    }
    if (consumed + unread.length <= MAX_HEAD_BYTES) return NOTHING;
    if (hasStatus()) return complete(true);
    refuse();
    return NOTHING;
  };

  const end = (ending: Ending): Buffer => {
    if (answer.head || answer.isRefused) return NOTHING;
    const rest = unread.toString('latin1');
    if (ending === 'eof') takeLine(rest);
    else if (lines.length === 0 && !mayBeginStatusLine(rest)) refuse();
    return hasStatus() && !answer.isRefused ? complete(true) : NOTHING;
  };
  return { answer, take, end };
};

const readers = new WeakMap<Socket, { current: AnswerReader | null }>();

/**
 * Lets a reader read a socket until the returned function is called. Bytes that arrive while nothing is read belong to no
 * request, so they close the connection.
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
  // A socket pushes what it receives to its reader, here the parser of Node. The parser cannot be used for the head: its
  // lenient mode still refuses what browsers accept, and does not report what it tolerated.
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
