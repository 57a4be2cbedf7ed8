/** A received message. All attributes are text, as in SQS; times are ms since the Unix epoch. */
export type Message = {
  messageId: string;
  /** Changes with each receive; an older handle no longer removes the message. */
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    ApproximateFirstReceiveTimestamp: string;
    MessageGroupId?: string;
    /** Only in a FIFO queue: 20 digits that increase from message to message, even across restarts. */
    SequenceNumber?: string;
    MessageDeduplicationId?: string;
  };
};

export type Outgoing = {
  /** Text of at most 1 MiB in UTF-8. */
  body: string;
  /** A delay of 0 to 900 s; only 0 is allowed in a FIFO queue. */
  delaySeconds?: number;
  /**
   * Used for fairness, and for order in a FIFO queue, which requires it. A message without one counts as a separate
   * group.
   */
  groupId?: string;
  /**
   * A FIFO queue requires it, a standard queue rejects it. A message is dropped if its group received the same id in
   * the last five minutes.
   */
  deduplicationId?: string;
  /** Set when a message moves to or from a dead-letter queue: it keeps its id and the time when it was first sent. */
  redriven?: { messageId: string; sentAt: number };
};
