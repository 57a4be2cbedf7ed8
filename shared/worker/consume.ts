import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { addLogContext, oneOrMany, withLogContext } from '../observability/log.ts';
import { noMetrics } from '../observability/metrics.ts';
import { type Consumer, retrySeconds } from '../queue/consumer.ts';
import { parsedBody } from '../queue/task.ts';
import { composeDeps, type Deps, type Runtime } from '../runtime/deps.ts';
import { type Attempt, isRetriedTooOften, kindOfFailure, Quarantine, RetryLater, type TaskOutcome } from './failure.ts';
import { hostHandler } from './on-host.ts';
import { createGroupHistory, groupResult, isOrdered, isolatePoison, isStuck } from './poison.ts';
import { quarantine, tryQuarantine } from './quarantine.ts';

/**
 * A received task. `sequence` is the sequence number within the FIFO queue group, which also increases when compared as
 * text. `receives` counts how often the message was received, including this time.
 */
export type Received<T> = {
  task: T;
  sequence: string;
  receives: number;
  /** Marks the task as done, so it is not returned to the queue even if a later task in the same group fails. */
  done: () => void;
  /**
   * Present only on the last attempt before this message is quarantined because it alone keeps failing. If the cause is
   * data left behind by an earlier message, call this to quarantine that data instead.
   */
  quarantineCause?: (cause: unknown, reason: string) => Promise<void>;
};

/**
 * Processes a single task, or the tasks in one FIFO queue group in order. Rejects if all tasks not marked as done
 * should be returned to the queue.
 */
type TaskHandler<C extends Consumer> = (
  received: readonly Received<z.output<C['task']>>[],
  deps: Deps<C['uses'][number]>,
  timeLeft: () => number,
) => Promise<void>;

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/**
 * Creates the Lambda handler for a consumer. Tasks in a standard queue run concurrently and independently, so a failure
 * returns only the failed task to the queue. Tasks in one FIFO queue group run together and in order. A failure returns
 * the failed task and all tasks after it, until the failing one is found and quarantined (poison.ts). A returned
 * message becomes visible again after a pause, which grows with each receive.
 */
export const consume = <const C extends Consumer>(contract: C, work: TaskHandler<C>) =>
  hostHandler(contract.name, (runtime: Runtime) => {
    const attempt = createAttempt(runtime, contract, work);
    const returnToQueue = createReturn(runtime, contract);
    const history = createGroupHistory(runtime.now);
    const oneByOne = isolatePoison(runtime, attempt, history);
    const together = async (group: string, records: readonly SQSRecord[], timeLeft: () => number) => {
      const outcome = await attempt(records, timeLeft);
      // Unordered tasks do not belong to a sensor, so they reveal nothing about tasks for other sensors.
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

const groupOf = ({ messageId, attributes }: SQSRecord): string =>
  // A message group makes a standard queue fair, but does not order the messages.
  attributes.SequenceNumber === undefined ? messageId : (attributes.MessageGroupId ?? messageId);

/**
 * Creates a function that makes messages visible again after a pause. If it fails, the messages reappear after their
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

/** Reads the tasks from messages. Quarantines unreadable messages, because a retry would not help. */
const readTasks = async <C extends Consumer>(
  runtime: Runtime,
  contract: C,
  records: readonly SQSRecord[],
  left: Set<SQSRecord>,
) => {
  const received: (Received<z.output<C['task']>> & { messageId: string })[] = [];
  for (const record of records) {
    const { data, error } = contract.task.safeParse(parsedBody(record));
    const { ApproximateReceiveCount, SequenceNumber = '' } = record.attributes;
    const { messageId } = record;
    const done = () => void left.delete(record);
    const task = data as z.output<C['task']>;
    const receives = Number(ApproximateReceiveCount);
    if (!error) received.push({ messageId, task, sequence: SequenceNumber, receives, done });
    else {
      const reason = error.issues[0]?.message ?? 'the body is not a task';
      runtime.log('error', 'a message cannot be read', { messageId, reason });
      await quarantine(runtime, record, reason).then(done);
    }
  }
  return received;
};

const quarantineInstead =
  (runtime: Runtime, record: SQSRecord) =>
  (cause: unknown, reason: string): Promise<void> =>
    quarantine(runtime, { ...record, body: JSON.stringify(cause) }, reason);

/** The maximum number of messages remembered as failed. */
const MAX_FAILED = 1_000;
/**
 * Creates a counter for messages that fail for the first time in this process. A message that keeps failing counts
 * once. Otherwise, it would keep an alarm on and hide the next failure.
 */
const createFailedMessages = () => {
  const failed = new Set<string>();
  return (records: readonly SQSRecord[]): number => {
    const added = records.filter(({ messageId }) => !failed.has(messageId));
    for (const { messageId } of added) failed.add(messageId);
    for (const messageId of failed) if (failed.size > MAX_FAILED) failed.delete(messageId);
    return added.length;
  };
};

/** Creates a function that turns an error from an attempt into an outcome. */
const createFailureHandler = (runtime: Runtime, { name: worker }: Consumer) => {
  const { log } = runtime;
  const { measure } = runtime.metrics ?? noMetrics;
  const countNew = createFailedMessages();
  const measureFailed = (records: readonly SQSRecord[], kind: string): void => {
    const count = countNew(records);
    if (count > 0) measure('TasksFailed', count, { worker, kind });
  };
  return async (left: readonly SQSRecord[], error: unknown): Promise<TaskOutcome> => {
    if (error instanceof RetryLater) {
      log('info', 'a task will be retried later', { reason: error.message });
      // `again`: the task was postponed too often.
      measureFailed(left.filter(isRetriedTooOften), 'again');
      return { kind: 'retry_later', left };
    }
    const [first, ...others] = left;
    if (error instanceof Quarantine && first && (await tryQuarantine(runtime, first, error.message)))
      return others.length > 0 ? { kind: 'retry_later', left: others } : { kind: 'done' };
    const kind = kindOfFailure(error);
    log('error', 'a task failed', { kind }, error);
    // Lambda does not count an error if only part of a batch is returned to the queue.
    measureFailed(left, kind);
    return { kind: 'failed', left, failure: kind, error };
  };
};

/** Creates a function that attempts the tasks for a consumer. */
const createAttempt = <const C extends Consumer>(runtime: Runtime, contract: C, work: TaskHandler<C>): Attempt => {
  const deps = composeDeps(runtime, contract.uses as readonly C['uses'][number][]);
  const outcomeOf = createFailureHandler(runtime, contract);
  return async (records, timeLeft, isLast = false) => {
    const left = new Set(records);
    const [first] = records;
    try {
      const read = await readTasks(runtime, contract, records, left);
      const quarantineCause = isLast && first ? quarantineInstead(runtime, first) : null;
      const received = quarantineCause ? read.map((task) => ({ ...task, quarantineCause })) : read;
      addLogContext(taskIds(received));
      const ready = await deps;
      if (received.length > 0) await work(received, ready, timeLeft);
      return { kind: 'done' };
    } catch (error) {
      return outcomeOf([...left], error);
    }
  };
};

const ID_NAMES = ['customerId', 'sensorId', 'webhookId', 'deliveryId', 'replayId', 'hitId', 'uuid', 'requestId'];
/** Returns the ids in a task that can be used to find its log lines. */
const idsOf = (task: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(task)).filter(([name, id]) => ID_NAMES.includes(name) && id !== undefined));
/**
 * Returns the ids in several tasks. An id that differs between them becomes a list. If no request caused a task,
 * `requestId` is the message id.
 */
const taskIds = (tasks: readonly { messageId: string; task: unknown }[]) => {
  const idsOfEach = tasks.map(
    ({ messageId, task }): Record<string, unknown> => ({ requestId: messageId, ...idsOf(task) }),
  );
  return Object.fromEntries(
    [...new Set(idsOfEach.flatMap(Object.keys))].map((name) => [name, oneOrMany(idsOfEach.map((ids) => ids[name]))]),
  );
};

/** Returns the message ids. They are read before parsing, because nothing else is known about an unreadable message. */
const messageIds = (records: readonly SQSRecord[]) => {
  const messageId = oneOrMany(records.map((record) => record.messageId));
  return { messageId, requestId: messageId };
};
