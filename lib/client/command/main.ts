import { homedir, hostname } from 'node:os';
import { pause } from '../pause.ts';
import { program } from './program.ts';
import { createPrompt } from './terminal.ts';

const ended = new AbortController();
process.once('SIGINT', () => ended.abort());
process.once('SIGTERM', () => ended.abort());
// The process reading the output may close the pipe, as `head` does.
process.stdout.on('error', () => process.exit());

process.exitCode = await program(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  ask: createPrompt(),
  isTerminal: process.stdin.isTTY === true,
  env: process.env,
  home: homedir(),
  hostname: hostname(),
  now: Date.now,
  pause,
  signal: ended.signal,
});
