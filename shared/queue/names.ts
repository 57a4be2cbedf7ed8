/** The queues processed by functions. Each has a dead-letter queue. */
export const workQueues = ['events', 'timers', 'deliveries', 'retries', 'jobs', 'mqtt', 'undeliverable'] as const;
/**
 * All queues. Messages that cannot be read or keep failing go to `quarantine`, where a person has to look into them.
 */
export const queueNames = [...workQueues, 'quarantine'] as const;
export type WorkQueue = (typeof workQueues)[number];
export type QueueName = (typeof queueNames)[number];
/** Whether a queue is FIFO. Each sensor is a message group, so that messages are processed in order. */
export const isFifo = (name: QueueName): boolean => name === 'events';
