import type { DatabaseSync } from 'node:sqlite';
import { isNoSpace } from '../no-space.ts';
import type { Durable } from './durable.ts';
import { notStored } from './errors.ts';

/** A call that waits until the changes of its turn are stored: `settle` returns its result, `fail` the error. */
type PendingCall = { settle: () => void; fail: (error: Error) => void };

/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;

/** Whether changes could not be stored because the disk, or the quota of its user, is full. */
const isFullDisk = (error: unknown): boolean => {
  const { errcode, code } = error as { errcode?: number; code?: string };
  return errcode === SQLITE_FULL || isNoSpace(code);
};

/**
 * Combines all calls of one turn of the event loop into one transaction. Each call runs at once and sees what earlier
 * calls wrote; it resolves once the transaction would survive a power cut. If the transaction fails, all calls of the turn
 * reject.
 */
export const createTurns = (database: DatabaseSync, durable: Durable | null) => {
  let pending: PendingCall[] = [];
  let failure: unknown;
  let isFull = false;

  const end = async (): Promise<void> => {
    const turn = pending;
    const cause = failure;
    pending = [];
    failure = undefined;
    try {
      if (cause) throw cause;
      if (database.isTransaction) {
        database.exec('COMMIT');
        durable?.note();
        isFull = false;
      }
      await durable?.kept();
    } catch (error) {
      if (isFullDisk(error)) isFull = true;
      // SQLite may already have rolled back by itself.
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
      for (const { fail } of turn) fail(notStored(error));
      return;
    }
    for (const { settle } of turn) settle();
  };

  /** Runs a call in the transaction of this turn. */
  const run = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(end);
      try {
        const value = work();
        pending.push({ settle: () => resolve(value), fail: reject });
      } catch (error) {
        if ((error as { code?: string }).code === 'ERR_SQLITE_ERROR') failure ??= error;
        pending.push({ settle: () => reject(error), fail: reject });
      }
    });

  return {
    /** Runs a call that only reads. */
    read: run,
    /** Runs a call that may write. The changes of a turn are stored together, or not at all. */
    write: <T>(work: () => T): Promise<T> =>
      run(() => {
        if (!database.isTransaction) database.exec('BEGIN IMMEDIATE');
        return work();
      }),
    /** Whether the disk was full at the latest change. */
    isFull: (): boolean => isFull,
  };
};
export type Turns = ReturnType<typeof createTurns>;
