/** A message as stored in a journal, with everything needed after a restart. */
export type Row = {
  /** The position in the queue. Increases with each message. */
  readonly sequence: number;
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly sentAt: number;
  /** When (ms) the delay ends. 0 if there is none. */
  readonly visibleAt: number;
};

/**
 * Settles at the end of the event loop turn, and rejects if a change is refused. `undefined` if nothing needs to be
 * awaited.
 */
export type Stored = Promise<void> | undefined;

/** Stores a queue's messages for the next process. */
export type Journal = {
  /** Returns the messages stored when the file was opened, in the order they were sent. */
  load(): Row[];
  /** Returns a number greater than all earlier ones, including those from earlier processes. There may be gaps. */
  nextSequence(): number;
  /** Stores a message. */
  add(row: Row): Stored;
  /**
   * Removes a message. If the process dies before the removal is on the disk, the message is delivered again
   * (at-least-once).
   */
  remove(sequence: number): Stored;
  clear(): Stored;
  /** Resolves after all changes so far. Rejects if a change in this event loop turn was refused. */
  settled(): Promise<void>;
};

/** Creates an in-memory queue journal, which stores nothing. */
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
