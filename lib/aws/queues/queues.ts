import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { consumers } from '#functions/index.ts';
import { type Consumer, MAX_RECEIVES, RETENTION_DAYS, visibilitySeconds } from '#shared/queue/consumer.ts';
import { isFifo, type QueueName, type WorkQueue, workQueues } from '#shared/queue/names.ts';
import { acknowledge } from '../acknowledged.ts';
import type { Stage } from '../settings/settings.ts';

export type Queues = Readonly<Record<Exclude<WorkQueue, 'mqtt'>, DurableQueue>> & {
  /** Null in a stage without MQTT. */
  mqtt: DurableQueue | null;
  /** Messages that no code can read are kept here for a person. */
  quarantine: Queue;
};

const readerOf = (name: WorkQueue): Consumer => {
  const reader = consumers.find(({ queues }: Consumer) => queues.some((queue) => queue === name));
  if (!reader) throw new Error(`nothing reads the queue ${name}`);
  return reader;
};

const common = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  // A dead letter was first received long before it is so old, and in a standard queue it keeps its age when it is moved.
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
  retentionPeriod: Duration.days(RETENTION_DAYS),
} as const;

/**
 * The settings of a FIFO queue with high throughput: order and deduplication are per message group, so no group slows
 * another down. Senders give the deduplication id, because two calls with the same bytes may be two different calls.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
const fifo = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

/** A queue of tasks with its dead-letter queue, which is of the same kind. */
export class DurableQueue extends Queue {
  /** Where messages go that were received too often. */
  readonly dead: Queue;

  constructor(scope: Construct, name: WorkQueue, removalPolicy: RemovalPolicy) {
    // The dead-letter queue of a FIFO queue must be a FIFO queue too.
    const kind = { ...common, ...(isFifo(name) && fifo), removalPolicy };
    const dead = new Queue(scope, `${name}-dead`, kind);
    // The construct id has a suffix, because a group of operations may have the name of a queue.
    super(scope, `${name}-queue`, {
      ...kind,
      visibilityTimeout: Duration.seconds(visibilitySeconds(readerOf(name))),
      deadLetterQueue: { queue: dead, maxReceiveCount: MAX_RECEIVES },
    });
    this.dead = dead;
  }
}

/**
 * Creates every queue. They are the record of what was accepted, so
 * they stay with the data when the stack is deleted.
 */
export const createQueues = (scope: Construct, { keepData, mqtt }: Stage): Queues => {
  const removalPolicy = keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
  const names = workQueues.filter((name) => mqtt || name !== 'mqtt');
  const work = Object.fromEntries(names.map((name) => [name, new DurableQueue(scope, name, removalPolicy)]));
  const quarantine = new Queue(scope, 'quarantine', { ...common, removalPolicy });
  acknowledge(quarantine, 'quarantine, no dead letters');
  const { mqtt: ofMqtt = null, ...others } = work as Record<Exclude<WorkQueue, 'mqtt'>, DurableQueue> & {
    mqtt?: DurableQueue;
  };
  return { ...others, mqtt: ofMqtt, quarantine };
};

/** The queues that functions of the stage work on, by their names. */
export const workedOn = (queues: Queues): [name: WorkQueue, queue: DurableQueue][] =>
  workQueues.flatMap((name): [WorkQueue, DurableQueue][] => {
    const queue = queues[name];
    return queue ? [[name, queue]] : [];
  });

/** The ARN of a queue of the stage. */
export const queueArnOf = (queues: Queues, name: QueueName): string => {
  const queue = queues[name];
  if (!queue) throw new Error(`this stage has no queue ${name}`);
  return queue.queueArn;
};
