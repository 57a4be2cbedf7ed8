import type { Log } from '#shared/observability/log.ts';

/**
 * Keeps the process alive when an exception reaches the top of it: it is logged and counted (GET /health). Devices that
 * send meanwhile are not to be turned away for an error in something else. `count` gives how many there were. One of
 * the output, as when the reader of a pipe has gone, is counted alone: its line would fail again, and so on for ever.
 */
export const surviveExceptions = (log: Log) => {
  let seen = 0;
  const see = (): void => {
    seen += 1;
  };
  const note = (error: unknown): void => {
    see();
    log('error', 'an exception was caught by nothing', {}, error);
  };
  for (const output of [process.stdout, process.stderr]) output.on('error', see);
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return { count: () => seen };
};
