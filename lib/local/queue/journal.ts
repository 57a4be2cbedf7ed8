/** A message as a journal stores it, with all that is needed after a restart. */
export type Row = {
  /** The position in the queue; it grows from message to message. */
  readonly sequence: number;
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly sentAt: number;
  /** The time (ms) at which the delay ends; 0 when there is none. */
  readonly visibleAt: number;
};

/** When something is kept: `undefined` at once; else a promise that is rejected when it cannot be kept. */
export type Kept = Promise<void> | undefined;

/** Stores the messages of a queue, so that the next process finds them. */
export type Journal = {
  /** Gives the messages that were stored when the file was opened, in the order of sending. */
  load(): Row[];
  /** Gives a number greater than any before, including those of earlier processes. There may be gaps. */
  nextSequence(): number;
  /** Stores a message. */
  add(row: Row): Kept;
  /** Removes a message. If the process dies before that is kept, the message is delivered again (at-least-once). */
  remove(sequence: number): Kept;
  clear(): void;
  /** Resolves when all is kept that was stored until now; rejects when what this turn of the event loop stored is not. */
  settled(): Promise<void>;
};

/** Creates the journal of a queue that is only in memory: it stores nothing. */
export const noJournal = (): Journal => {
  let last = 0;
  return {
    load: () => [],
    nextSequence: () => ++last,
    add: () => undefined,
    remove: () => undefined,
    clear: () => {},
    settled: async () => {},
  };
};
