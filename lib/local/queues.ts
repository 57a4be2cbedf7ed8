import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { consumers } from '../../functions/index.ts';
import { isFifo, type QueueName, queueNames } from '../../shared/capabilities.ts';
import { type Consumer, MAX_RECEIVES, visibilitySeconds } from '../../shared/queue/consumer.ts';
import type { Queues } from '../../shared/queue/send.ts';
import type { Clock } from './clock.ts';
import { tableFileOf } from './engines.ts';
import { createQueue, type Queue } from './queue.ts';
import { openQueueFile } from './queue-file.ts';

export type LocalQueues = Record<QueueName, Queue>;

/** The visibility timeout (s) of a queue. A queue without a consumer holds messages for a person. */
export const visibilityOf = (name: QueueName): number =>
  visibilitySeconds(
    consumers.find(({ queues }: Consumer) => queues.some((one) => one === name)) ?? { timeoutSeconds: 15 },
  );

/** The file of the queues in a data folder. */
export const queueFileOf = (folder: string): string => join(folder, 'queues.sqlite');

/**
 * Throws for a data folder from the time before tasks were kept in queues, because the tasks in it would be
 * overlooked.
 */
export const refuseOldFolder = (dataDir: string): void => {
  if (!existsSync(tableFileOf(dataDir)) || existsSync(queueFileOf(dataDir))) return;
  throw new Error(
    `the data folder ${dataDir} is from an older version, whose events and waiting messages this one cannot read: ` +
      'let the older version run until nothing waits, then start this one with a new folder (DATA_DIR)',
  );
};

/**
 * Opens the queues of the system with their dead-letter queues in this process, stored in a file of the data folder
 * if there is one.
 */
export const openQueues = (dataDir: string, clock: Clock) => {
  const file = dataDir === ':memory:' ? null : openQueueFile(queueFileOf(dataDir));
  const one = (name: string, of: QueueName, deadLetter?: Queue): Queue =>
    createQueue({
      ...{ name, visibilitySeconds: visibilityOf(of), maxReceiveCount: MAX_RECEIVES, clock },
      ...(isFifo(of) && { fifo: true }),
      ...(file && { journal: file.journalOf(name) }),
      ...(deadLetter && { deadLetter }),
    });
  const make = (of: (name: QueueName) => Queue) =>
    Object.fromEntries(queueNames.map((name) => [name, of(name)])) as LocalQueues;
  const dead = make((name) => one(`${name}-dead`, name));
  return { queues: make((name) => one(name, name, dead[name])), dead, close: () => file?.close() };
};

/** Gives the same queues as senders use them. */
export const queuesOf = (queues: LocalQueues): Queues => ({
  send: async (queue, messages) => {
    for (const message of messages) queues[queue].send(message);
  },
  hide: async (arn, receiptHandles, seconds) => {
    const queue = Object.values(queues).find(({ name }) => arn.endsWith(`:${name}`));
    for (const handle of receiptHandles) queue?.changeVisibility(handle, seconds);
  },
  redrive: async (queue) => void queues[queue].redrive(),
});
