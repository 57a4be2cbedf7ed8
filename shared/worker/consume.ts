import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { withLogContext } from '../observability/log.ts';
import { noMetrics } from '../observability/metrics.ts';
import { type Consumer, retrySeconds } from '../queue/consumer.ts';
import type { Runtime } from '../runtime/deps.ts';
import { createAttempt, type TaskHandler } from './attempt.ts';
import { hostHandler } from './on-host.ts';
import { createGroupHistory, groupResult, isOrdered, isolatePoison, isStuck } from './poison.ts';
import { messageIds } from './task-ids.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const groupOf = ({ messageId, attributes }: SQSRecord): string =>
  // The group of a message makes a standard queue fair, but does not order its messages.
  attributes.SequenceNumber === undefined ? messageId : (attributes.MessageGroupId ?? messageId);

/**
 * Creates the function that makes messages visible again after a pause. If that fails, they reappear after their
 * visibility timeout.
 */
const createReturn =
  ({ log, queues, metrics = noMetrics }: Runtime, { name }: Consumer) =>
  async (records: readonly SQSRecord[]): Promise<void> => {
    const [first] = records;
    if (!first) return;
    const seconds = retrySeconds(Number(first.attributes.ApproximateReceiveCount));
    const handles = records.map(({ receiptHandle }) => receiptHandle);
    await queues.hide(first.eventSourceARN, handles, seconds).catch((error: unknown) => {
      log('warn', 'messages will reappear too late: their visibility timeout could not be changed', {}, error);
      metrics.measure('TasksFailed', records.length, { worker: name, kind: 'queue' });
    });
  };

/**
 * Creates the Lambda handler of a consumer. Tasks of a standard queue run concurrently and independently: a failure returns
 * only the failed task to the queue. Tasks of one group of a FIFO queue run together and in order: a failure returns the
 * failed task and all tasks after it, until the failing one is found and quarantined (poison.ts). A returned message becomes
 * visible again after a pause that grows with its receives.
 */
export const consume = <const C extends Consumer>(contract: C, work: TaskHandler<C>) =>
  hostHandler(contract.name, (runtime: Runtime) => {
    const attempt = createAttempt(runtime, contract, work);
    const returnToQueue = createReturn(runtime, contract);
    const history = createGroupHistory(runtime.now);
    const oneByOne = isolatePoison(runtime, attempt, history);
    const together = async (group: string, records: readonly SQSRecord[], timeLeft: () => number) => {
      const outcome = await attempt(records, timeLeft);
      // Unordered tasks belong to no sensor, so they indicate nothing about the tasks of other sensors.
      if (outcome.kind !== 'retry_later' && records.every(isOrdered)) history.note(group, groupResult(outcome));
      return outcome.kind === 'done' ? [] : outcome.left;
    };
    return async ({ Records }: SQSEvent, timeLeft): Promise<SQSBatchResponse> => {
      const groups = [...Map.groupBy(Records, groupOf)].map(([group, records]) =>
        withLogContext(messageIds(records), async () => {
          const left = await (records.some(isStuck) ? oneByOne : together)(group, records, timeLeft);
          await returnToQueue(left);
          return left;
        }),
      );
      const failed = (await Promise.all(groups)).flat();
      return { batchItemFailures: failed.map(({ messageId }): SQSBatchItemFailure => ({ itemIdentifier: messageId })) };
    };
  });
