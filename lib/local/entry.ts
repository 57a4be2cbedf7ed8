import type { Row } from './journal.ts';
import type { Message, Outgoing } from './queue.ts';

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_BODY_BYTES = 1_048_576;
const MAX_ID_LENGTH = 128;
const SEQUENCE_DIGITS = 20;

/** A message in a queue, with what only this process knows of it. */
export type Entry = Omit<Row, 'visibleAt'> & {
  visibleAt: number;
  /** Delayed or in flight, and not yet shown again. */
  isHidden: boolean;
  /** In the heap of its group, or in that of the hidden. */
  place: number;
  receiveCount: number;
  firstReceivedAt: number;
  receiptHandle: string;
};

/** As it is before the first receive. After a start, too: whoever had it in flight is gone. */
export const entryOf = (row: Row, now: number): Entry => ({
  ...row,
  // A clock that was set back since must not prolong a delay.
  visibleAt: Math.min(row.visibleAt, now + MAX_DELAY_SECONDS * 1000),
  isHidden: false,
  place: -1,
  receiveCount: 0,
  firstReceivedAt: 0,
  receiptHandle: '',
});

const within = (what: string, value: number, max: number): number => {
  if (!(value >= 0 && value <= max)) throw new RangeError(`${what} is ${value}, allowed are 0 to ${max}`);
  return value;
};

/** Throws when SQS would refuse the message. */
export const check = ({ body, delaySeconds = 0, groupId, deduplicationId }: Outgoing, isFifo: boolean): void => {
  within('the size of the body in bytes', Buffer.byteLength(body), MAX_BODY_BYTES);
  within('delaySeconds', delaySeconds, MAX_DELAY_SECONDS);
  if (!isFifo) {
    if (deduplicationId !== undefined) throw new Error('a standard queue takes no deduplicationId');
    return;
  }
  if (!groupId || !deduplicationId)
    throw new Error('a FIFO queue takes no message without groupId and deduplicationId');
  within('the length of the groupId', groupId.length, MAX_ID_LENGTH);
  within('the length of the deduplicationId', deduplicationId.length, MAX_ID_LENGTH);
  if (delaySeconds > 0) throw new Error('a FIFO queue delays no single message');
};

export const rowOf = (message: Outgoing, sequence: number, now: number, newId: () => string): Row => {
  const { body, delaySeconds = 0, groupId, deduplicationId, redriven } = message;
  const { messageId = newId(), sentAt = now } = redriven ?? {};
  const visibleAt = delaySeconds > 0 ? now + delaySeconds * 1000 : 0;
  return { sequence, messageId, body, groupId, deduplicationId, sentAt, visibleAt };
};

/** Notes a receive; from now on the message is to be hidden. */
export const take = (entry: Entry, receiptHandle: string, now: number, visibilitySeconds: number): void => {
  if (entry.receiveCount === 0) entry.firstReceivedAt = now;
  entry.receiveCount += 1;
  entry.receiptHandle = receiptHandle;
  entry.visibleAt = now + visibilitySeconds * 1000;
};

export const isInFlight = (entry: Entry): boolean => entry.isHidden && entry.receiveCount > 0;

/** The message in flight whose visibility is to change; throws when SQS would refuse that. */
export const changeable = (entry: Entry | undefined, seconds: number): Entry => {
  within('the visibility timeout in seconds', seconds, MAX_VISIBILITY_SECONDS);
  if (!entry || !isInFlight(entry)) throw new Error('no message is in flight under this receipt handle');
  return entry;
};

export const asMessage = (entry: Entry, isFifo: boolean): Message => ({
  messageId: entry.messageId,
  receiptHandle: entry.receiptHandle,
  body: entry.body,
  attributes: {
    ApproximateReceiveCount: String(entry.receiveCount),
    SentTimestamp: String(entry.sentAt),
    ApproximateFirstReceiveTimestamp: String(entry.firstReceivedAt),
    ...(entry.groupId !== undefined && { MessageGroupId: entry.groupId }),
    ...(entry.deduplicationId !== undefined && { MessageDeduplicationId: entry.deduplicationId }),
    ...(isFifo && { SequenceNumber: String(entry.sequence).padStart(SEQUENCE_DIGITS, '0') }),
  },
});

/** As it moves between a queue and its dead-letter queue. */
export const asRedriven = ({ messageId, sentAt, body, groupId, deduplicationId }: Entry): Outgoing => ({
  body,
  redriven: { messageId, sentAt },
  ...(groupId !== undefined && { groupId }),
  ...(deduplicationId !== undefined && { deduplicationId }),
});
