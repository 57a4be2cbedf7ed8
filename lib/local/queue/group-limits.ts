import { customerOf } from '#shared/queue/encode.ts';
import type { Message } from '../message.ts';

/** Counts the messages of each customer and of each group that are being processed. */
export const createGroupLimits = (mostOfCustomer: number, mostOfGroup: number) => {
  const counts = new Map<string, number>();
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const add = (messages: readonly Message[], by: 1 | -1): void => {
    for (const { attributes } of messages) {
      const group = attributes.MessageGroupId;
      for (const name of group === undefined ? [] : new Set([group, customerOf(group)]))
        if (countOf(name) + by === 0) counts.delete(name);
        else counts.set(name, countOf(name) + by);
    }
  };
  return {
    isFull: (group: string): boolean => countOf(group) >= mostOfGroup || countOf(customerOf(group)) >= mostOfCustomer,
    enter: (messages: readonly Message[]) => {
      add(messages, 1);
      return () => add(messages, -1);
    },
  };
};
