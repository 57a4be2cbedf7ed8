import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Reads lines of a pipe, as many as are asked for. */
const piped = () => {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return async (): Promise<string> => {
    process.stdin.ref?.();
    const { value = '' } = await lines.next();
    // Whoever holds the pipe open does not hold the command.
    process.stdin.unref?.();
    return value;
  };
};

/** Asks on the terminal, without showing what is typed where it is hidden. From a pipe, each question takes a line. */
export const asker = () => {
  let readLine: (() => Promise<string>) | undefined;
  return async (question: string, isHidden?: 'hidden'): Promise<string> => {
    if (!process.stdin.isTTY) {
      readLine ??= piped();
      return readLine();
    }
    const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
    const ended = new AbortController();
    const output = isHidden ? nothing : process.stderr;
    const lines = createInterface({ input: process.stdin, output, terminal: true });
    lines.on('SIGINT', () => ended.abort(new Error('ended')));
    if (isHidden) process.stderr.write(question);
    try {
      return await lines.question(isHidden ? '' : question, { signal: ended.signal });
    } finally {
      lines.close();
      if (isHidden) process.stderr.write('\n');
    }
  };
};
