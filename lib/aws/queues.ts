import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { consumers } from '../../functions/index.ts';
import { type QueueName, queueNames } from '../../shared/capabilities.ts';
import { type Consumer, MAX_RECEIVES, visibilitySeconds } from '../../shared/queue/consumer.ts';

/** A queue and where its messages go that could not be worked off. */
export type QueuePair = { queue: Queue; dead: Queue };
export type Queues = Readonly<Record<QueueName, QueuePair>>;

const readerOf = (name: QueueName): Consumer => {
  const reader = consumers.find(({ queues }: Consumer) => queues.includes(name));
  if (!reader) throw new Error(`nothing reads the queue ${name}`);
  return reader;
};

const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

const createQueue = (scope: Construct, name: QueueName): QueuePair => {
  // A message keeps its age when it moves, so it must be allowed to grow older here than in its queue.
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
  const dead = new Queue(scope, `${name}-dead`, { ...common, retentionPeriod: Duration.days(14) });
  // A group of operations may have the name of a queue.
  const queue = new Queue(scope, `${name}-queue`, {
    ...common,
    retentionPeriod: Duration.days(4),
    visibilityTimeout: Duration.seconds(visibilitySeconds(readerOf(name))),
    deadLetterQueue: { queue: dead, maxReceiveCount: MAX_RECEIVES },
  });
  return { queue, dead };
};

/** Every queue with its dead-letter queue. They only ring bells: what they lose, the table remembers. */
export const createQueues = (scope: Construct): Queues =>
  Object.fromEntries(queueNames.map((name) => [name, createQueue(scope, name)])) as Queues;
