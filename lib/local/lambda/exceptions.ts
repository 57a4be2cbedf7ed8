import type { Log } from '#shared/observability/log.ts';

/**
 * Keeps the process alive after an uncaught exception, so devices are not rejected because of an error elsewhere.
 * Exceptions are logged and counted for GET /health. `count` returns their number. An output error, such as a broken
 * pipe, is only counted, because logging it would fail again, in an endless loop.
 */
export const keepAliveOnExceptions = (log: Log) => {
  let total = 0;
  const add = (): void => {
    total += 1;
  };
  const note = (error: unknown): void => {
    add();
    log('error', 'uncaught exception', {}, error);
  };
  for (const output of [process.stdout, process.stderr]) output.on('error', add);
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return { count: () => total };
};
