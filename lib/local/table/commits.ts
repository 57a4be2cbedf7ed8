import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFullDisk, noSpace } from '../no-space.ts';
import type { Disk } from './durable.ts';
import { notStored } from './errors.ts';

/**
 * How long (ms) changes stay uncommitted if no caller waits for them. Until then, a tool writing to the file has to
 * wait.
 */
const COMMIT_AFTER_MS = 100;

export type CommitOptions = {
  /** Null if SQLite itself syncs, or if no data outlives the process. */
  disk?: Disk | null;
  /** Whether the disk has space for another transaction. */
  hasRoom?: () => boolean;
  /** Called when another process has changed the file since the last check. */
  onForeignChange?: () => void;
  /** Called once, with the reason, if changes could not be stored although calls had already settled. */
  onLost?: (error: Error) => void;
};

/** Returns a function that calls `onChange` if another process has changed the file since the previous call. */
const createWatch = (database: DatabaseSync, onChange: (() => void) | undefined): (() => void) => {
  if (!onChange) return () => {};
  const versions = database.prepare('PRAGMA data_version');
  const current = (): unknown => versions.get()?.data_version;
  let version = current();
  return () => {
    const before = version;
    version = current();
    if (version !== before) onChange();
  };
};

/** Rolls back a transaction, unless SQLite has already done so by itself. */
const rollBack = (database: DatabaseSync): void => {
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
};

/** Returns a function that calls `run`, or joins the call already in progress. */
const oneAtATime = (run: () => Promise<unknown>) => {
  let running: Promise<unknown> | undefined;
  return (): Promise<unknown> => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
};

/**
 * The transactions on a file. A transaction is open from the first change until a caller waits for it to be stored, or
 * until `COMMIT_AFTER_MS` has passed. Only one commit and one sync are in progress at a time, and each covers all
 * changes made before it.
 *
 * Callers continue before the commit, so a failed commit or sync cannot be undone. Every later call then fails, and the
 * process has to be restarted. Data stored earlier is not affected.
 */
export const createCommits = (database: DatabaseSync, options: CommitOptions) => {
  const { disk, hasRoom = () => true, onForeignChange, onLost } = options;
  const beginning = database.prepare('BEGIN IMMEDIATE');
  const committing = database.prepare('COMMIT');
  const watch = createWatch(database, onForeignChange);
  let lost: Error | undefined;
  let isFull = false;
  let isOpen = false;
  let commitTimer: NodeJS.Timeout | undefined;
  /** The number of changes so far, and how many of them are on the disk. */
  let written = 0;
  let stored = 0;
  const lastWrites: (() => void)[] = [];

  const lose = (cause: unknown): Error => {
    if (lost) return lost;
    lost = notStored(cause);
    isFull ||= isFullDisk(cause);
    clearTimeout(commitTimer);
    rollBack(database);
    onLost?.(lost);
    return lost;
  };
  const open = (): void => {
    try {
      if (!hasRoom()) throw noSpace();
      beginning.run();
      watch();
    } catch (error) {
      isFull ||= isFullDisk(error);
      rollBack(database);
      throw error;
    }
    isOpen = true;
    // A failure is reported by `onLost`.
    commitTimer = setTimeout(() => kept().catch(() => {}), COMMIT_AFTER_MS).unref();
  };
  const commit = (): void => {
    if (!isOpen) return;
    clearTimeout(commitTimer);
    for (const write of lastWrites) write();
    isOpen = false;
    committing.run();
    isFull = false;
  };
  const store = async (): Promise<void> => {
    // One sync serves all callers waiting at the end of this event loop turn.
    if (disk) await nextTurn();
    const upTo = written;
    commit();
    // Data that a failed sync did not write may be lost even if a later one succeeds.
    await disk?.sync();
    stored = upTo;
  };
  const storing = oneAtATime(() => store().catch(lose));
  const kept = async (): Promise<void> => {
    const target = written;
    while (stored < target && !lost) await storing();
    if (lost) throw lost;
  };
  return {
    /**
     * Begins a change: opens a transaction if none is open. Throws if that is not possible now, in which case nothing
     * has changed.
     */
    begin: (): void => {
      if (!isOpen) open();
      written += 1;
    },
    /** Checks for changes by other processes. There can be none within a transaction. */
    refresh: (): void => {
      if (!isOpen) watch();
    },
    /** Whether SQLite has rolled back a transaction by itself. */
    isRolledBack: (): boolean => isOpen && !database.isTransaction,
    lose,
    lost: (): Error | undefined => lost,
    kept,
    /** Registers a function called before each commit to write pending data. */
    beforeCommit: (write: () => void): void => void lastWrites.push(write),
    isFull: (): boolean => isFull,
  };
};
