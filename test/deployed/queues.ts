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

/** A queue in the template, with the ARNs of the queue and the dead-letter queue. */
export type DeployedQueue = { name: string; arn: string; deadArn: string | undefined; queue: Queue };

/** Creates the template's queues in this process. */
export const createQueues = (account: Account, clock: Clock): readonly DeployedQueue[] => {
  const created = new Map<string, DeployedQueue>();
  const create = ({
    id,
    FifoQueue = false,
    VisibilityTimeout = 30,
    RedrivePolicy,
  }: Written & { id: string }): DeployedQueue => {
    const arn = account.arnOf(id);
    const deadArn = RedrivePolicy?.deadLetterTargetArn;
    const known = created.get(arn);
    if (known) return known;
    const deadLetterQueue =
      deadArn === undefined ? undefined : create(account.byArn<Written>('AWS::SQS::Queue', deadArn)).queue;
    const queue = createQueue({
      name: arn.split(':').at(-1) ?? '',
      visibilitySeconds: VisibilityTimeout,
      clock,
      maxReceiveCount: RedrivePolicy?.maxReceiveCount ?? Number.POSITIVE_INFINITY,
      ...(FifoQueue && { fifo: true }),
      ...(deadLetterQueue && { deadLetterQueue }),
    });
    const entry = { name: queueNameOf(id), arn, deadArn, queue };
    created.set(arn, entry);
    return entry;
  };
  return account.all<Written>('AWS::SQS::Queue').map(create);
};

/** Returns SQS with the JSON protocol used by functions. */
export const createSqs = (queues: readonly DeployedQueue[]) => {
  const byUrl = ({ QueueUrl = '' }: Partial<Request>): DeployedQueue | undefined =>
    queues.find(({ queue }) => QueueUrl.endsWith(`/${queue.name}`));
  const byDead = ({ SourceArn }: Partial<Request>): DeployedQueue | undefined =>
    queues.find(({ deadArn }) => deadArn !== undefined && deadArn === SourceArn);
  return {
    /** Returns the queue for a request. For a redrive, it is the queue to which dead letters return. */
    queueOf: (operation: string, request: Partial<Request>): DeployedQueue | undefined =>
      operation === 'StartMessageMoveTask' ? byDead(request) : byUrl(request),
    perform: (operation: string, { queue, deadArn }: DeployedQueue, request: Request): unknown => {
      if (operation === 'StartMessageMoveTask') return { TaskHandle: String(queue.redrive()) };
      if (operation === 'GetQueueAttributes')
        return { Attributes: deadArn ? { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadArn }) } : {} };
      const act = actions[operation];
      if (!act) throw new Error(`${operation} of SQS is not simulated`);
      return act(queue, request);
    },
  };
};
