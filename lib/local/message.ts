/** A message as one receive gives it. All attributes are text, as in SQS; times are ms since the Unix epoch. */
export type Message = {
  messageId: string;
  /** A new handle for each receive; an older one no longer removes the message. */
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    ApproximateFirstReceiveTimestamp: string;
    MessageGroupId?: string;
    /** Only in a FIFO queue: 20 digits, which grow from message to message, also over restarts. */
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
   * The group is used for fairness, and in a FIFO queue, which requires it, for order. A message without one is a
   * group of its own.
   */
  groupId?: string;
  /**
   * A FIFO queue requires it, a standard queue refuses it. A message is dropped when its group got the same id in the
   * last five minutes.
   */
  deduplicationId?: string;
  /** Set by moves to and from a dead-letter queue: a message keeps its id and the time at which it was first sent. */
  redriven?: { messageId: string; sentAt: number };
};
