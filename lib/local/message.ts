/** A received message. All attributes are strings, as in SQS. Times are ms since the Unix epoch. */
export type Message = {
  messageId: string;
  /** Changes with each receive. An older handle no longer removes the message. */
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    ApproximateFirstReceiveTimestamp: string;
    MessageGroupId?: string;
    /** Only in a FIFO queue: 20 digits that increase with each message, even across restarts. */
    SequenceNumber?: string;
    MessageDeduplicationId?: string;
  };
};

export type Outgoing = {
  /** A string of at most 1 MiB in UTF-8. */
  body: string;
  /** A delay of 0 to 900 s. Only 0 is allowed in a FIFO queue. */
  delaySeconds?: number;
  /**
   * Used for fairness and, in a FIFO queue, for ordering. Required by a FIFO queue. In a standard queue, a message
   * without a group id counts as a separate group.
   */
  groupId?: string;
  /**
   * Required by a FIFO queue, and rejected by a standard queue. A message is dropped if the group received the same id
   * in the last five minutes.
   */
  deduplicationId?: string;
  /**
   * Set when a message moves to or from a dead-letter queue. The message keeps its id and the time when it was first
   * sent.
   */
  redriven?: { messageId: string; sentAt: number };
};
