import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFullDisk, noSpace } from '../no-space.ts';
import type { Disk } from './durable.ts';
import { notStored } from './errors.ts';

/** How long (ms) changes that nobody waits for stay uncommitted. Until then, a tool that writes to the file waits. */
const COMMIT_AFTER_MS = 100;

export type CommitOptions = {
  /** Null if SQLite itself syncs, or if nothing survives the process. */
  disk?: Disk | null;
  /** Whether the disk has room for another transaction. */
  hasRoom?: () => boolean;
  /** Called when another process has changed the file since the last call. */
  onForeignChange?: () => void;
  /** Called once, with the reason, if changes could not be stored although calls were already answered. */
  onLost?: (error: Error) => void;
};

/** Returns a function that calls `onChange` if another process has changed the file since it was last called. */
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

/** Ends a transaction, unless SQLite has already done so by itself. */
const rollBack = (database: DatabaseSync): void => {
  if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
};

/** Returns a function that calls `run`, or joins the call that is under way. */
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
 * The transactions of a file. One is open from the first change until somebody waits for it to be kept, or a moment has
 * passed. One commit and one sync are under way at a time, and cover all changes before them.
 *
 * Since callers go on before the commit, a commit or sync that fails cannot be undone: nothing works from then on, and
 * the process has to be restarted. What was kept before is still there.
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
  /** The number of changes so far, and of those that are on the disk. */
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
    // One sync serves everybody who waits at the end of this turn of the event loop.
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
     * Begins a change: opens a transaction if none is open. Throws if that is not possible now; nothing has changed
     * then.
     */
    begin: (): void => {
      if (!isOpen) open();
      written += 1;
    },
    /** Notices changes of other processes, of which there are none within a transaction. */
    refresh: (): void => {
      if (!isOpen) watch();
    },
    /** Whether SQLite has rolled back a transaction by itself. */
    isRolledBack: (): boolean => isOpen && !database.isTransaction,
    lose,
    lost: (): Error | undefined => lost,
    kept,
    /** Registers a function that is called before each commit to write what it still has pending. */
    beforeCommit: (write: () => void): void => void lastWrites.push(write),
    isFull: (): boolean => isFull,
  };
};
