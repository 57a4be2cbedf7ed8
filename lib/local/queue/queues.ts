import { consumers } from '#functions/index.ts';
import { type Consumer, MAX_RECEIVES, visibilitySeconds } from '#shared/queue/consumer.ts';
import { isFifo, type QueueName, queueNames } from '#shared/queue/names.ts';
import type { Queues } from '#shared/queue/sqs-queues.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from './journal.ts';
import { createQueue, type Queue } from './queue.ts';

export type LocalQueues = Record<QueueName, Queue>;

/** Returns a queue's visibility timeout (s). A queue without a consumer is read by a person. */
const visibilityOf = (name: QueueName): number =>
  visibilitySeconds(
    consumers.find(({ queues }: Consumer) => queues.some((queue) => queue === name)) ?? { timeoutSeconds: 15 },
  );

/** Opens the queues and their dead-letter queues in this process. `journalOf` stores their messages. */
export const openQueues = (journalOf: (name: string) => Journal, clock: Clock) => {
  const open = (name: string, of: QueueName, deadLetterQueue?: Queue): Queue =>
    createQueue({
      name,
      visibilitySeconds: visibilityOf(of),
      maxReceiveCount: MAX_RECEIVES,
      clock,
      ...(isFifo(of) && { fifo: true }),
      journal: journalOf(name),
      ...(deadLetterQueue && { deadLetterQueue }),
    });
  const forEachName = (openQueue: (name: QueueName) => Queue) =>
    Object.fromEntries(queueNames.map((name) => [name, openQueue(name)])) as LocalQueues;
  const dead = forEachName((name) => open(`${name}-dead`, name));
  return { queues: forEachName((name) => open(name, name, dead[name])), dead };
};

/** Returns the queue interface for senders. */
export const queuesOf = (queues: LocalQueues): Queues => ({
  send: async (queue, messages) => {
    for (const message of messages) queues[queue].send(message);
    await queues[queue].whenAccepted();
  },
  hide: async (arn, receiptHandles, seconds) => {
    const queue = Object.values(queues).find(({ name }) => arn.endsWith(`:${name}`));
    for (const handle of receiptHandles) queue?.changeVisibility(handle, seconds);
  },
  redrive: async (queue) => {
    queues[queue].redrive();
    await queues[queue].whenAccepted();
  },
});
