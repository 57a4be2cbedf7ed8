/** The queues that a function works on; each has a dead-letter queue. */
export const workQueues = ['events', 'timers', 'deliveries', 'retries', 'jobs', 'mqtt'] as const;
/** All queues. A message that cannot be read is put aside in `quarantine`, where a person has to look at it. */
export const queueNames = [...workQueues, 'quarantine'] as const;
export type WorkQueue = (typeof workQueues)[number];
export type QueueName = (typeof queueNames)[number];
/** Is it a FIFO queue, with a message group for each sensor, so that a sensor's messages are processed in order? */
export const isFifo = (name: QueueName): boolean => name === 'events';
