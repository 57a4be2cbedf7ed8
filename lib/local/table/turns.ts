import type { DatabaseSync } from 'node:sqlite';
import { type CommitOptions, createCommits } from './commits.ts';
import { isPartlyApplied, notStored } from './errors.ts';

/**
 * Runs the calls on a file. A call runs at once, sees what earlier calls wrote, and settles at the end of the event
 * loop turn, in call order. At that point, the call's changes are not yet on disk. `kept` resolves once they are, and
 * must be awaited before anything that may depend on a call leaves the process.
 */
export const createTurns = (database: DatabaseSync, options: CommitOptions = {}) => {
  const commits = createCommits(database, options);
  let answers: (() => void)[] = [];
  /**
   * Why the file could not be used in this turn. A later call in the turn must not succeed, because it may belong to
   * the same change.
   */
  let refusal: Error | undefined;

  const answer = (): void => {
    const turn = answers;
    answers = [];
    refusal = undefined;
    for (const settle of turn) settle();
  };
  /** Returns a call's error. If SQLite undid this call and nothing else, the error concerns only this call. */
  const errorOf = (error: unknown): unknown => {
    if (isPartlyApplied(error) || commits.isRolledBack()) return commits.lose(error);
    return (error as { code?: string }).code === 'ERR_SQLITE_ERROR' ? notStored(error) : error;
  };
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      refusal = notStored(error);
      throw refusal;
    }
  };
  const run = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const isFirst = answers.length === 0;
      if (isFirst) setImmediate(answer);
      try {
        const problem = commits.lost() ?? refusal;
        if (problem) throw problem;
        if (isFirst) attempt(commits.refresh);
        const value = work();
        answers.push(() => resolve(value));
      } catch (error) {
        const reason = errorOf(error);
        answers.push(() => reject(reason));
      }
    });
  return {
    /** Runs a read-only call. */
    read: run,
    /**
     * Runs a call that may write. Everything that one run of synchronous code writes is stored together or not at all.
     */
    write: <T>(work: () => T): Promise<T> =>
      run(() => {
        attempt(commits.begin);
        return work();
      }),
    /** Resolves once all changes so far would survive a power loss. Rejects if they cannot be stored. */
    kept: commits.kept,
    /** Registers a function called before each commit to write pending data. */
    beforeCommit: commits.beforeCommit,
    /** Whether the disk was full at the latest change. */
    isFull: commits.isFull,
  };
};
export type Turns = ReturnType<typeof createTurns>;

/**
 * Returns turns that settle only once the changes are stored. Tools need this, and so do hosts with either the table or
 * the queues at an endpoint, because every call to that endpoint leaves the process.
 */
export const keepingTurns = (turns: Turns): Turns => {
  const keeping =
    (run: Turns['read']): Turns['read'] =>
    async (work) => {
      const answered = run(work);
      await answered.catch(() => {});
      await turns.kept();
      return answered;
    };
  return { ...turns, read: keeping(turns.read), write: keeping(turns.write) };
};
