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

/** Stores the messages of a queue, so that the next process finds them. */
export type Journal = {
  /** Gives the messages that were stored when the file was opened, in the order of sending. */
  load(): Row[];
  /** Gives a number greater than any before, including those of earlier processes. There may be gaps. */
  nextSequence(): number;
  /** Stores a message; it is durable when the call returns. */
  add(row: Row): void;
  /**
   * Removes a message, durably soon after the call returns. If the process dies before, the message is delivered
   * again, as at-least-once delivery allows.
   */
  remove(sequence: number): void;
  clear(): void;
  /** All writes of `run`, to this and other journals of the same file, form one transaction. */
  together(run: () => void): void;
};

/** Creates the journal of a queue that is only in memory: it stores nothing. */
export const noJournal = (): Journal => {
  let last = 0;
  return {
    load: () => [],
    nextSequence: () => ++last,
    add: () => {},
    remove: () => {},
    clear: () => {},
    together: (run) => run(),
  };
};
