import type { Message, Outgoing } from '../message.ts';
import type { Row } from './journal.ts';

// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
const MAX_DELAY_SECONDS = 900;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_BODY_BYTES = 1_048_576;
const MAX_ID_LENGTH = 128;
const SEQUENCE_DIGITS = 20;

/** A message in a queue, with the state that only this process knows. */
export type Entry = Omit<Row, 'visibleAt'> & {
  visibleAt: number;
  /** The message is delayed or in flight, and was not shown again yet. */
  isHidden: boolean;
  /** The index in the heap of its group, or in the heap of hidden messages. */
  place: number;
  receiveCount: number;
  firstReceivedAt: number;
  receiptHandle: string;
};

/**
 * Creates an entry in the state before the first receive. This holds after a restart, too, because the receivers of
 * the earlier process are gone.
 */
export const entryOf = (row: Row, now: number): Entry => ({
  ...row,
  // The delay is limited, because the clock may have been set back since, which must not prolong it.
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

/** Records a receive. The caller hides the message from now on. */
export const take = (entry: Entry, receiptHandle: string, now: number, visibilitySeconds: number): void => {
  if (entry.receiveCount === 0) entry.firstReceivedAt = now;
  entry.receiveCount += 1;
  entry.receiptHandle = receiptHandle;
  entry.visibleAt = now + visibilitySeconds * 1000;
};

export const isInFlight = (entry: Entry): boolean => entry.isHidden && entry.receiveCount > 0;

/** Gives the message in flight whose visibility is to change. Throws when SQS would refuse the change. */
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

/** Gives the message as it is sent to a dead-letter queue, or from there back. */
export const asRedriven = ({ messageId, sentAt, body, groupId, deduplicationId }: Entry): Outgoing => ({
  body,
  redriven: { messageId, sentAt },
  ...(groupId !== undefined && { groupId }),
  ...(deduplicationId !== undefined && { deduplicationId }),
});
