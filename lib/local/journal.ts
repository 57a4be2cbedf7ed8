/** A message as a journal keeps it: whatever must be known of it after a start. */
export type Row = {
  /** Its place in the queue: grows from message to message. */
  readonly sequence: number;
  readonly messageId: string;
  readonly body: string;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly sentAt: number;
  /** The end of its delay; 0: it has none. */
  readonly visibleAt: number;
};

/** Where a queue writes down what it holds, so that the next process finds it. */
export type Journal = {
  /** What was there when the file was opened, in the order of sending. */
  load(): Row[];
  /** Greater than any before, those of earlier processes included; some are left out. */
  nextSequence(): number;
  /** Durable when it returns. */
  add(row: Row): void;
  /** Durable soon: a process that dies before it brings the message back, as any that is delivered at least once. */
  remove(sequence: number): void;
  clear(): void;
  /** All that `run` writes, to this and other journals of the same file, is written together or not at all. */
  together(run: () => void): void;
};

/** The journal of a queue that ends with its process: nothing is written. */
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
