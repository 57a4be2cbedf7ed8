import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Returns a function that reads the next line from a pipe. */
const piped = () => {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return async (): Promise<string> => {
    process.stdin.ref?.();
    const { value = '' } = await lines.next();
    // A pipe that stays open must not keep the command running.
    process.stdin.unref?.();
    return value;
  };
};

/**
 * Returns a function that asks on the terminal; a hidden answer is not echoed. From a pipe, it reads one line per
 * question.
 */
export const createPrompt = () => {
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
