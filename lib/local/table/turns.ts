import type { DatabaseSync } from 'node:sqlite';
import type { Durable } from './durable.ts';
import { notKept } from './errors.ts';

/** Answers of a turn: each is given once all that the turn wrote is kept, or that it is not. */
type Waiting = { answer: () => void; refuse: (error: Error) => void };

/**
 * Makes all calls of one turn of the event loop one transaction. Each call runs at once and sees what the calls before it
 * wrote; it is answered once the transaction would survive a power cut. When that fails, all calls of the
 * turn are refused.
 */
export const createTurns = (database: DatabaseSync, durable: Durable | null) => {
  let waiting: Waiting[] = [];
  let failure: unknown;

  const end = async (): Promise<void> => {
    const turn = waiting;
    const cause = failure;
    waiting = [];
    failure = undefined;
    try {
      if (cause) throw cause;
      if (database.isTransaction) {
        database.exec('COMMIT');
        durable?.note();
      }
      await durable?.kept();
    } catch (error) {
      // SQLite may have ended the transaction by itself.
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
      for (const { refuse } of turn) refuse(notKept(error));
      return;
    }
    for (const { answer } of turn) answer();
  };

  /** Runs a call within the transaction of this turn. */
  const run = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(end);
      try {
        const value = work();
        waiting.push({ answer: () => resolve(value), refuse: reject });
      } catch (error) {
        if ((error as { code?: string }).code === 'ERR_SQLITE_ERROR') failure ??= error;
        waiting.push({ answer: () => reject(error), refuse: reject });
      }
    });

  return {
    /** A call that only reads. */
    read: run,
    /** A call that may write: all of what it writes is kept, or nothing of its turn. */
    write: <T>(work: () => T): Promise<T> =>
      run(() => {
        if (!database.isTransaction) database.exec('BEGIN IMMEDIATE');
        return work();
      }),
  };
};
export type Turns = ReturnType<typeof createTurns>;
