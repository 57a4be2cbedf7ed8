import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Message } from '../message.ts';
import type { MoveTarget, QueueContents } from './contents.ts';
import { asMessage, changeable, type Entry, take } from './entry.ts';
import { hide, type IsFull, show, takeTurns } from './fair-order.ts';

/** How receivers get messages from a queue. */
export type Receiving = {
  fifo?: true;
  /** How long (s) a received message stays hidden unless it is removed. */
  visibilitySeconds: number;
  /**
   * After this many receives, the next receive moves the message to `deadLetterQueue`. Has no effect without a
   * `deadLetterQueue`.
   */
  maxReceiveCount: number;
  deadLetterQueue?: MoveTarget;
  clock: Clock;
  newId?: () => string;
};

/**
 * Creates a queue's receiver operations: receiving messages, and then removing them or changing their visibility by
 * receipt handle.
 */
export const createInFlight = (options: Receiving, contents: QueueContents) => {
  const {
    fifo: isFifo = false,
    clock,
    deadLetterQueue,
    maxReceiveCount,
    visibilitySeconds,
    newId = randomUUID,
  } = options;
  const { order } = contents;
  /** The received messages, in flight or visible again, by receipt handle. */
  const { received } = contents;

  const handOut = (entry: Entry): Message[] => {
    if (deadLetterQueue && entry.receiveCount >= maxReceiveCount) {
      contents.move([entry], deadLetterQueue);
      return [];
    }
    received.delete(entry.receiptHandle);
    take(entry, newId(), clock.now(), visibilitySeconds);
    received.set(entry.receiptHandle, entry);
    hide(order, entry);
    return [asMessage(entry, isFifo)];
  };

  return {
    receive(max: number, isFull: IsFull): Message[] {
      const messages: Message[] = [];
      if (max <= 0) return messages;
      for (const entry of takeTurns(contents.upToDate(), isFull)) {
        messages.push(...handOut(entry));
        if (messages.length >= max) break;
      }
      return messages;
    },
    remove(receiptHandle: string): void {
      contents.upToDate();
      const entry = received.get(receiptHandle);
      // An SQS FIFO queue responds with ReceiptHandleIsInvalid: after a handle expires, another receiver may have the
      // message.
      if (!entry || (isFifo && !entry.isHidden)) return;
      contents.remove(entry);
    },
    changeVisibility(receiptHandle: string, seconds: number): void {
      contents.upToDate();
      const entry = changeable(received.get(receiptHandle), seconds);
      show(order, entry);
      entry.visibleAt = clock.now() + seconds * 1000;
      hide(order, entry);
    },
  };
};
