/** A message as a journal stores it, with everything that is needed after a restart. */
export type Row = {
  /** The position in the queue; it increases from message to message. */
  readonly sequence: number;
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly sentAt: number;
  /** The time (ms) at which the delay ends; 0 if there is none. */
  readonly visibleAt: number;
};

/**
 * Settles at the end of the turn of the event loop, and rejects if a change is refused; `undefined` if nothing needs to
 * be awaited.
 */
export type Stored = Promise<void> | undefined;

/** Stores the messages of a queue for the next process. */
export type Journal = {
  /** Returns the messages that were stored when the file was opened, in the order in which they were sent. */
  load(): Row[];
  /** Returns a number greater than all earlier numbers, including those of earlier processes. There may be gaps. */
  nextSequence(): number;
  /** Stores a message. */
  add(row: Row): Stored;
  /**
   * Removes a message. If the process dies before that is on the disk, the message is delivered again (at-least-once).
   */
  remove(sequence: number): Stored;
  clear(): Stored;
  /** Resolves after all changes so far; rejects if one of this turn of the event loop was refused. */
  settled(): Promise<void>;
};

/** Creates the journal of a queue in memory, which stores nothing. */
export const noJournal = (): Journal => {
  let last = 0;
  return {
    load: () => [],
    nextSequence: () => ++last,
    add: () => undefined,
    remove: () => undefined,
    clear: () => undefined,
    settled: async () => {},
  };
};
