import type { Message, Outgoing } from '../message.ts';
import type { Row } from './journal.ts';

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_BODY_BYTES = 1_048_576;
const MAX_ID_LENGTH = 128;
const SEQUENCE_DIGITS = 20;

/** A message in a queue, with the state specific to this process. */
export type Entry = Omit<Row, 'visibleAt'> & {
  visibleAt: number;
  /** Whether the message is delayed or in flight. */
  isHidden: boolean;
  /** The index in the group's heap, or in the heap of hidden messages. */
  place: number;
  receiveCount: number;
  firstReceivedAt: number;
  receiptHandle: string;
};

/**
 * Creates an entry for a message not yet received. After a restart, this applies to every message, because the
 * receivers in the earlier process are gone.
 */
export const entryOf = (row: Row, now: number): Entry => ({
  ...row,
  // The delay is capped so it does not grow if the clock was set back.
  visibleAt: Math.min(row.visibleAt, now + MAX_DELAY_SECONDS * 1000),
  isHidden: false,
  place: -1,
  receiveCount: 0,
  firstReceivedAt: 0,
  receiptHandle: '',
});

const within = (quantity: string, value: number, max: number): number => {
  if (!(value >= 0 && value <= max)) throw new RangeError(`${quantity} must be 0 to ${max}, not ${value}`);
  return value;
};

/** Throws if SQS would reject the message. */
export const check = ({ body, delaySeconds = 0, groupId, deduplicationId }: Outgoing, isFifo: boolean): void => {
  within('the size of the body in bytes', Buffer.byteLength(body), MAX_BODY_BYTES);
  within('delaySeconds', delaySeconds, MAX_DELAY_SECONDS);
  if (!isFifo) {
    if (deduplicationId !== undefined) throw new Error('a standard queue accepts no deduplicationId');
    return;
  }
  if (!groupId || !deduplicationId) throw new Error('a FIFO queue requires a groupId and a deduplicationId');
  within('the length of the groupId', groupId.length, MAX_ID_LENGTH);
  within('the length of the deduplicationId', deduplicationId.length, MAX_ID_LENGTH);
  if (delaySeconds > 0) throw new Error('a FIFO queue cannot delay a single message');
};

export const rowOf = (message: Outgoing, sequence: number, now: number, newId: () => string): Row => {
  const { body, delaySeconds = 0, groupId, deduplicationId, redriven } = message;
  const { messageId = newId(), sentAt = now } = redriven ?? {};
  const visibleAt = delaySeconds > 0 ? now + delaySeconds * 1000 : 0;
  return { sequence, messageId, body, groupId, deduplicationId, sentAt, visibleAt };
};

/** Records a receive. The caller has to hide the message. */
export const take = (entry: Entry, receiptHandle: string, now: number, visibilitySeconds: number): void => {
  if (entry.receiveCount === 0) entry.firstReceivedAt = now;
  entry.receiveCount += 1;
  entry.receiptHandle = receiptHandle;
  entry.visibleAt = now + visibilitySeconds * 1000;
};

export const isInFlight = (entry: Entry): boolean => entry.isHidden && entry.receiveCount > 0;

/** Returns the message in flight whose visibility is to change. Throws if SQS would reject the change. */
export const changeable = (entry: Entry | undefined, seconds: number): Entry => {
  within('the visibility timeout in seconds', seconds, MAX_VISIBILITY_SECONDS);
  if (!entry || !isInFlight(entry)) throw new Error('no message with this receipt handle is in flight');
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

/** Returns the message to send when moving it to a dead-letter queue or back. */
export const asRedriven = ({ messageId, sentAt, body, groupId, deduplicationId }: Entry): Outgoing => ({
  body,
  redriven: { messageId, sentAt },
  ...(groupId !== undefined && { groupId }),
  ...(deduplicationId !== undefined && { deduplicationId }),
});
