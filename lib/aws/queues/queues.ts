import { Duration, type RemovalPolicy } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { consumers } from '#functions/index.ts';
import { type Consumer, MAX_RECEIVES, RETENTION_DAYS, visibilitySeconds } from '#shared/queue/consumer.ts';
import { isFifo, type QueueName, type WorkQueue, workQueues } from '#shared/queue/names.ts';
import { acknowledge } from '../acknowledged.ts';
import { removalPolicyOf } from '../data/removal.ts';
import { hasFunction, type LambdaName } from '../functions/lambdas.ts';
import type { Stage } from '../settings/settings.ts';

/** Queues that exist only in stages with a function to consume them. */
type OptionalQueue = 'mqtt' | 'undeliverable';

export type Queues = Readonly<Record<Exclude<WorkQueue, OptionalQueue>, DurableQueue>> & {
  /** Null in a stage without MQTT. */
  mqtt: DurableQueue | null;
  /** Null in a stage with neither email nor SMS. */
  undeliverable: DurableQueue | null;
  /** Holds messages for manual inspection if they cannot be read, or if they keep failing while others succeed. */
  quarantine: Queue;
};

const consumerOf = (name: WorkQueue): Consumer => {
  const consumer = consumers.find(({ queues }: Consumer) => queues.some((queue) => queue === name));
  if (!consumer) throw new Error(`no function consumes the queue ${name}`);
  return consumer;
};

const common = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  // A message becomes a dead letter long before it is this old. A message moved from a standard queue keeps its age.
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
  retentionPeriod: Duration.days(RETENTION_DAYS),
} as const;

/**
 * High-throughput FIFO settings: messages are ordered and deduplicated per message group, so no group slows another
 * down. Senders set the deduplication id, because two calls with the same bytes can be different calls.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/high-throughput-fifo.html
 */
const fifo = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

/** A task queue with a dead-letter queue. */
export class DurableQueue extends Queue {
  /** Receives messages that were delivered to the consumer too many times without success. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, name: WorkQueue, removalPolicy: RemovalPolicy) {
    // The dead-letter queue for a FIFO queue must also be FIFO.
    const props = { ...common, ...(isFifo(name) && fifo), removalPolicy };
    const dead = new Queue(scope, `${name}-dead`, props);
    // The construct id has a suffix, because a group of operations can have the same name as a queue.
    super(scope, `${name}-queue`, {
      ...props,
      visibilityTimeout: Duration.seconds(visibilitySeconds(consumerOf(name))),
      deadLetterQueue: { queue: dead, maxReceiveCount: MAX_RECEIVES },
    });
    this.deadLetters = dead;
  }
}

/** Creates all queues. They are the record of what was accepted, so `keepData` retains them too. */
export const createQueues = (scope: Construct, stage: Stage): Queues => {
  const removalPolicy = removalPolicyOf(stage);
  const names = workQueues.filter((name) => hasFunction(stage, consumerOf(name).name as LambdaName));
  const work = Object.fromEntries(names.map((name) => [name, new DurableQueue(scope, name, removalPolicy)]));
  const quarantine = new Queue(scope, 'quarantine', { ...common, removalPolicy });
  acknowledge(quarantine, 'quarantine, no dead-letter queue');
  const {
    mqtt = null,
    undeliverable = null,
    ...others
  } = work as Record<Exclude<WorkQueue, OptionalQueue>, DurableQueue> & Partial<Record<OptionalQueue, DurableQueue>>;
  return { ...others, mqtt, undeliverable, quarantine };
};

/** Returns the task queues in this stage with their names. */
export const taskQueues = (queues: Queues): [name: WorkQueue, queue: DurableQueue][] =>
  workQueues.flatMap((name): [WorkQueue, DurableQueue][] => {
    const queue = queues[name];
    return queue ? [[name, queue]] : [];
  });

/** Returns the queue ARN. Throws if the stage does not have the queue. */
export const queueArnOf = (queues: Queues, name: QueueName): string => {
  const queue = queues[name];
  if (!queue) throw new Error(`this stage has no queue ${name}`);
  return queue.queueArn;
};
