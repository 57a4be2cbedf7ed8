import { randomUUID } from 'node:crypto';
import { asMessage, changeable, type Entry, take } from './entry.ts';
import type { Holding } from './holding.ts';
import type { Message, QueueOptions } from './queue.ts';
import { hide, type IsFull, inTurn, show } from './turns.ts';

/** What receivers do with a queue: they take messages, and say under the receipt handle what is to become of them. */
export const createHands = (options: QueueOptions, holding: Holding) => {
  const { fifo: isFifo = false, clock, deadLetter, maxReceiveCount, visibilitySeconds, newId = randomUUID } = options;
  const { turns } = holding;
  /** By receipt handle: what was received, in flight or visible again. */
  const held = holding.received;

  const handOut = (entry: Entry): Message[] => {
    if (deadLetter && entry.receiveCount >= maxReceiveCount) {
      holding.move([entry], deadLetter);
      return [];
    }
    held.delete(entry.receiptHandle);
    take(entry, newId(), clock.now(), visibilitySeconds);
    held.set(entry.receiptHandle, entry);
    hide(turns, entry);
    return [asMessage(entry, isFifo)];
  };

  return {
    receive(max: number, isFull: IsFull): Message[] {
      const messages: Message[] = [];
      if (max <= 0) return messages;
      for (const entry of inTurn(holding.upToDate(), isFull)) {
        messages.push(...handOut(entry));
        if (messages.length >= max) break;
      }
      return messages;
    },
    remove(receiptHandle: string): void {
      holding.upToDate();
      const entry = held.get(receiptHandle);
      // A FIFO queue answers ReceiptHandleIsInvalid: when the time of a handle is over, somebody else may be at work.
      if (!entry || (isFifo && !entry.isHidden)) return;
      holding.remove(entry);
    },
    changeVisibility(receiptHandle: string, seconds: number): void {
      holding.upToDate();
      const entry = changeable(held.get(receiptHandle), seconds);
      show(turns, entry);
      entry.visibleAt = clock.now() + seconds * 1000;
      hide(turns, entry);
    },
  };
};
