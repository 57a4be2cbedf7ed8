import type { SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { addLogContext } from '../observability/log.ts';
import { noMetrics } from '../observability/metrics.ts';
import type { Consumer } from '../queue/consumer.ts';
import { composeDeps, type Deps, type Runtime } from '../runtime/deps.ts';
import { type FailureKind, isRetriedTooOften, kindOfFailure, Quarantine, RetryLater } from './failure.ts';
import { quarantine, tryQuarantine } from './quarantine.ts';
import { taskIds } from './task-ids.ts';

/**
 * A received task. `sequence` is its sequence number in its group of a FIFO queue, which also grows when compared as text;
 * `receives` counts the receives of the message, including this one.
 */
export type Received<T> = {
  task: T;
  sequence: string;
  receives: number;
  /** Marks the task as done: it is not returned to the queue, even if a later task of its group fails. */
  done: () => void;
  /**
   * Present at the last attempt before this message is quarantined because it keeps failing on its own. Quarantines instead
   * what an earlier message left behind, if that makes this one fail.
   */
  quarantineCause?: (cause: unknown, reason: string) => Promise<void>;
};

/**
 * Processes tasks in order: a single one, or those of one group of a FIFO queue. Rejects to return all tasks that are not
 * marked as done to the queue.
 */
export type TaskHandler<C extends Consumer> = (
  received: readonly Received<z.output<C['task']>>[],
  deps: Deps<C['uses'][number]>,
  timeLeft: () => number,
) => Promise<void>;

/** The outcome of an attempt. `left` holds the messages that are not done. */
export type TaskOutcome =
  | { kind: 'done' }
  | { kind: 'retry_later'; left: readonly SQSRecord[] }
  | { kind: 'failed'; left: readonly SQSRecord[]; failure: FailureKind; error: unknown };

/** Attempts the tasks of messages of one group. Never rejects. */
export type Attempt = (records: readonly SQSRecord[], timeLeft: () => number, isLast?: boolean) => Promise<TaskOutcome>;

/** Returns the parsed body of a message, or undefined if it is not JSON. */
export const parsedBody = ({ body }: Pick<SQSRecord, 'body'>): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** Reads the tasks of messages. Quarantines those that cannot be read, because no retry would help. */
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

/** The maximum number of messages that are remembered as failed. */
const MAX_FAILED = 1_000;
/**
 * Creates the count of messages that fail for the first time in this process. One that keeps failing counts once: it must
 * not keep an alarm on that would hide the next.
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

/** Creates the function that turns the error of an attempt into its outcome. */
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
      // The kind `again`: a task that was postponed too often.
      measureFailed(left.filter(isRetriedTooOften), 'again');
      return { kind: 'retry_later', left };
    }
    const [first, ...others] = left;
    if (error instanceof Quarantine && first && (await tryQuarantine(runtime, first, error.message)))
      return others.length > 0 ? { kind: 'retry_later', left: others } : { kind: 'done' };
    const kind = kindOfFailure(error);
    log('error', 'a task failed', { kind }, error);
    // Lambda counts no error if only part of a batch is returned to the queue.
    measureFailed(left, kind);
    return { kind: 'failed', left, failure: kind, error };
  };
};

/** Creates the function that attempts the tasks of a consumer. */
export const createAttempt = <const C extends Consumer>(
  runtime: Runtime,
  contract: C,
  work: TaskHandler<C>,
): Attempt => {
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
