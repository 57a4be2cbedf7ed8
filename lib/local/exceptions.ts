import type { Log } from '../../shared/log.ts';

/**
 * Keeps the process alive when an exception reaches the top of it: it is logged and counted (GET /health). Devices that
 * send meanwhile are not to be turned away for an error in something else. `count` gives how many there were.
 */
export const surviveExceptions = (log: Log) => {
  let seen = 0;
  const note = (error: unknown): void => {
    seen += 1;
    log('error', 'an exception was caught by nothing', {}, error);
  };
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  return { count: () => seen };
};
