import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Message } from '../message.ts';
import type { QueueContents, Target } from './contents.ts';
import { asMessage, changeable, type Entry, take } from './entry.ts';
import { hide, type IsFull, inTurn, show } from './fair-order.ts';

/** How a queue hands out its messages. */
export type Receiving = {
  fifo?: true;
  /** How long (s) a received message stays hidden unless it is removed. */
  visibilitySeconds: number;
  /**
   * After this number of receives the next one moves the message to `deadLetter` instead. It has no effect without
   * `deadLetter`.
   */
  maxReceiveCount: number;
  deadLetter?: Target;
  clock: Clock;
  newId?: () => string;
};

/**
 * Creates the operations of receivers on a queue: they receive messages, and then remove them or change their
 * visibility by the receipt handle.
 */
export const createInFlight = (options: Receiving, contents: QueueContents) => {
  const { fifo: isFifo = false, clock, deadLetter, maxReceiveCount, visibilitySeconds, newId = randomUUID } = options;
  const { order } = contents;
  /** The messages that were received, in flight or visible again, by their receipt handle. */
  const held = contents.received;

  const handOut = (entry: Entry): Message[] => {
    if (deadLetter && entry.receiveCount >= maxReceiveCount) {
      contents.move([entry], deadLetter);
      return [];
    }
    held.delete(entry.receiptHandle);
    take(entry, newId(), clock.now(), visibilitySeconds);
    held.set(entry.receiptHandle, entry);
    hide(order, entry);
    return [asMessage(entry, isFifo)];
  };

  return {
    receive(max: number, isFull: IsFull): Message[] {
      const messages: Message[] = [];
      if (max <= 0) return messages;
      for (const entry of inTurn(contents.upToDate(), isFull)) {
        messages.push(...handOut(entry));
        if (messages.length >= max) break;
      }
      return messages;
    },
    remove(receiptHandle: string): void {
      contents.upToDate();
      const entry = held.get(receiptHandle);
      // A FIFO queue of SQS answers ReceiptHandleIsInvalid: when a handle has expired, another receiver may have the
      // message.
      if (!entry || (isFifo && !entry.isHidden)) return;
      contents.remove(entry);
    },
    changeVisibility(receiptHandle: string, seconds: number): void {
      contents.upToDate();
      const entry = changeable(held.get(receiptHandle), seconds);
      show(order, entry);
      entry.visibleAt = clock.now() + seconds * 1000;
      hide(order, entry);
    },
  };
};
