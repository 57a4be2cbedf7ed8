import { connect } from 'node:net';
import { answerReader, type HttpAnswer } from './http-answer.ts';

type Line = { ask: (call: Call) => void; end: (error: Error) => void };
type Call = { text: string; line?: Line; resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void };
type Heard = { free: (line: Line) => void; gone: (line: Line) => void };

// The names and codes are those of the SDK's handler, because shared/store/retry.ts decides by them.
const hungUp = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const noAnswer = (ms: number) => Object.assign(new Error(`no answer within ${ms} ms`), { name: 'TimeoutError' });

/** Opens a connection that carries one call at a time. */
const openLine = (host: string, port: number, { free, gone }: Heard): Line => {
  const socket = connect({ host, port, noDelay: true });
  const read = answerReader();
  let current: Call | null = null;
  const line: Line = {
    ask: (call) => {
      current = call;
      call.line = line;
      socket.write(call.text);
    },
    end: (error) => {
      const call = current;
      current = null;
      socket.destroy();
      gone(line);
      call?.reject(error);
    },
  };
  socket.on('data', (piece) => {
    try {
      const answer = read(piece);
      if (!current) throw new Error('an answer that nobody asked for');
      if (!answer) return;
      const call = current;
      current = null;
      free(line);
      call.resolve(answer);
    } catch (error) {
      line.end(error as Error);
    }
  });
  socket.on('error', line.end);
  socket.on('end', () => line.end(hungUp()));
  socket.on('close', () => line.end(hungUp()));
  return line;
};

/**
 * Posts to a server on this machine over kept-alive connections, with half the work of Node's own client. A call
 * without a complete answer after `timeoutMs` ms ends as a TimeoutError, also when it still waits for a connection.
 * Then all idle connections are closed as well, because all of them may have died while a process was frozen.
 */
export const keepAliveSockets = (endpoint: string, timeoutMs: number, most = 50) => {
  const { hostname, port } = new URL(endpoint);
  const all = new Set<Line>();
  const idle: Line[] = [];
  const waiting: Call[] = [];
  const heard: Heard = {
    free: (line) => {
      idle.push(line);
      next();
    },
    gone: (line) => {
      if (!all.delete(line)) return;
      if (idle.includes(line)) idle.splice(idle.indexOf(line), 1);
      next();
    },
  };
  const open = (): Line => {
    const line = openLine(hostname, Number(port), heard);
    all.add(line);
    return line;
  };
  const next = (): void => {
    if (waiting.length === 0) return;
    const line = idle.pop() ?? (all.size < most ? open() : undefined);
    const call = line && waiting.shift();
    if (call) line.ask(call);
  };
  const giveUp = (call: Call): void => {
    const error = noAnswer(timeoutMs);
    for (const line of [...idle]) line.end(error);
    if (!call.line) waiting.splice(waiting.indexOf(call), 1);
    call.line?.end(error);
    call.reject(error);
  };
  /** Sends a request, given as the text of the whole HTTP message. */
  return async (text: string): Promise<HttpAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const call: Call = { text, resolve, reject };
    const timer = setTimeout(giveUp, timeoutMs, call);
    waiting.push(call);
    next();
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  };
};
