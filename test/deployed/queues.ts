import type { Clock } from '#lib/local/clock.ts';
import { createQueue, type Queue } from '#lib/local/queue/queue.ts';
import { actions, type Request } from '../fixtures/sqs-server.ts';
import type { Account } from './account.ts';
import { queueNameOf } from './policies.ts';

type Written = {
  FifoQueue?: boolean;
  VisibilityTimeout?: number;
  RedrivePolicy?: { deadLetterTargetArn: string; maxReceiveCount: number };
};
/** A queue of the template: its name in the system, its ARN, and that of its dead-letter queue. */
export type Made = { name: string; arn: string; deadArn: string | undefined; queue: Queue };

/** The queues of the template, in this process. */
export const createQueues = (account: Account, clock: Clock): readonly Made[] => {
  const made = new Map<string, Made>();
  const create = ({ id, FifoQueue = false, VisibilityTimeout = 30, RedrivePolicy }: Written & { id: string }): Made => {
    const arn = account.arnOf(id);
    const deadArn = RedrivePolicy?.deadLetterTargetArn;
    const known = made.get(arn);
    if (known) return known;
    const deadLetter =
      deadArn === undefined ? undefined : create(account.byArn<Written>('AWS::SQS::Queue', deadArn)).queue;
    const queue = createQueue({
      name: arn.split(':').at(-1) ?? '',
      visibilitySeconds: VisibilityTimeout,
      clock,
      maxReceiveCount: RedrivePolicy?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
      ...(FifoQueue && { fifo: true }),
      ...(deadLetter && { deadLetterQueue: deadLetter }),
    });
    const entry = { name: queueNameOf(id), arn, deadArn, queue };
    made.set(arn, entry);
    return entry;
  };
  return account.all<Written>('AWS::SQS::Queue').map(create);
};

/** SQS as the functions ask it, in the JSON protocol. */
export const createSqs = (queues: readonly Made[]) => {
  const byUrl = ({ QueueUrl = '' }: Partial<Request>): Made | undefined =>
    queues.find(({ queue }) => QueueUrl.endsWith(`/${queue.name}`));
  const byDead = ({ SourceArn }: Partial<Request>): Made | undefined =>
    queues.find(({ deadArn }) => deadArn !== undefined && deadArn === SourceArn);
  return {
    /** The queue that a request is about: of a move, the one that the dead letters come back to. */
    queueOf: (operation: string, request: Partial<Request>): Made | undefined =>
      operation === 'StartMessageMoveTask' ? byDead(request) : byUrl(request),
    perform: (operation: string, { queue, deadArn }: Made, request: Request): unknown => {
      if (operation === 'StartMessageMoveTask') return { TaskHandle: String(queue.redrive()) };
      if (operation === 'GetQueueAttributes')
        return { Attributes: deadArn ? { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadArn }) } : {} };
      const act = actions[operation];
      if (!act) throw new Error(`SQS does no ${operation} here`);
      return act(queue, request);
    },
  };
};
