import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { inContext, noteContext } from '../observability/log.ts';
import { unmeasured } from '../observability/metrics.ts';
import { type Consumer, retrySeconds } from '../queue/consumer.ts';
import { compose, type Deps, type Runtime } from '../runtime/deps.ts';
import { ComeAgain, isPutOffTooOften, kindOfFailure, PutAside } from './failure.ts';
import { onHost } from './on-host.ts';
import { createOutcomes } from './outcomes.ts';
import { isOrdered, isStuck, putPoisonAside, type Worked } from './poison.ts';
import { putAside, quarantine } from './quarantine.ts';
import { idsOfAll, idsOfMessages } from './task-ids.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/**
 * A task as it was received. `sequence` is its sequence number in its group of a FIFO queue, and grows also when
 * compared as text; `receives` counts the receives of the message, this one included.
 */
export type Received<T> = {
  task: T;
  sequence: string;
  receives: number;
  /** Marks the task as done: it is not given back, even when a later task of its group fails. */
  done: () => void;
  /**
   * There is one at the last try before this message is put aside because it fails by itself: puts something else aside,
   * with a reason, which an earlier message left, and because of which this one fails.
   */
  putAside?: (what: unknown, reason: string) => Promise<void>;
};

/**
 * Works on tasks in their order: on a single one, or on those of one group of a FIFO queue. It rejects to give back all
 * tasks that are not marked as done.
 */
type Work<C extends Consumer> = (
  received: readonly Received<z.output<C['task']>>[],
  deps: Deps<C['uses'][number]>,
  timeLeft: () => number,
) => Promise<void>;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const groupOf = ({ messageId, attributes }: SQSRecord): string =>
  // The group of a message makes a standard queue fair, but does not order its messages.
  attributes.SequenceNumber === undefined ? messageId : (attributes.MessageGroupId ?? messageId);

/** Reads the tasks of messages; one that cannot be read is put in the quarantine, because no repetition makes it readable. */
const readAll = async <C extends Consumer>(
  runtime: Runtime,
  contract: C,
  records: readonly SQSRecord[],
  left: Set<SQSRecord>,
) => {
  const received: (Received<z.output<C['task']>> & { messageId: string })[] = [];
  for (const record of records) {
    const { data, error } = contract.task.safeParse(parse(record.body));
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

const asideOf =
  (runtime: Runtime, record: SQSRecord) =>
  (what: unknown, reason: string): Promise<void> =>
    quarantine(runtime, { ...record, body: JSON.stringify(what) }, reason);

/** Makes what works on the records of one group. It never rejects. */
const worker = <const C extends Consumer>(runtime: Runtime, contract: C, work: Work<C>) => {
  const { log } = runtime;
  const { measure } = runtime.metrics ?? unmeasured;
  const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);
  return async (records: readonly SQSRecord[], timeLeft: () => number, isLastTry = false): Promise<Worked> => {
    const left = new Set(records);
    try {
      const read = await readAll(runtime, contract, records, left);
      const [only] = records;
      const received = isLastTry && only ? read.map((task) => ({ ...task, putAside: asideOf(runtime, only) })) : read;
      noteContext(idsOfAll(received));
      const ready = await deps;
      if (received.length > 0) await work(received, ready, timeLeft);
      return { left: [], why: null };
    } catch (error) {
      if (error instanceof ComeAgain) {
        log('info', 'a message comes again', { reason: error.message });
        const late = [...left].filter(isPutOffTooOften);
        if (late.length > 0) measure('TasksFailed', late.length, { worker: contract.name, kind: 'again' });
        return { left: [...left], why: 'again' };
      }
      const [first, ...others] = left;
      if (error instanceof PutAside && first && (await putAside(runtime, first, error.message)))
        return { left: others, why: others.length > 0 ? 'again' : null };
      const kind = kindOfFailure(error);
      log('error', 'a message was not worked off', { kind }, error);
      // Lambda counts no error when a part of a batch is given back.
      measure('TasksFailed', left.size, { worker: contract.name, kind });
      return { left: [...left], why: kind, error };
    }
  };
};

/** Makes what shows records again after a pause. If that fails, they are shown at the end of their visibility timeout. */
const giver =
  ({ log, queues, metrics = unmeasured }: Runtime, { name }: Consumer) =>
  async (records: readonly SQSRecord[]): Promise<void> => {
    const [first] = records;
    if (!first) return;
    const seconds = retrySeconds(Number(first.attributes.ApproximateReceiveCount));
    const handles = records.map(({ receiptHandle }) => receiptHandle);
    await queues.hide(first.eventSourceARN, handles, seconds).catch((error: unknown) => {
      log('warn', 'messages become visible again too late', {}, error);
      metrics.measure('TasksFailed', records.length, { worker: name, kind: 'queue' });
    });
  };

/**
 * Makes the Lambda handler of a consumer. Tasks of a standard queue run concurrently, each one alone: a failure gives
 * back only the task that failed. Tasks of one group of a FIFO queue run together and in order: a failure gives back
 * the task that failed and all tasks after it, until the failing one is found and put aside (poison.ts). A message that is
 * given back becomes visible again after a pause that grows with its receives.
 */
export const consume = <const C extends Consumer>(contract: C, work: Work<C>) =>
  onHost(contract.name, (runtime: Runtime) => {
    const workOn = worker(runtime, contract, work);
    const giveBack = giver(runtime, contract);
    const outcomes = createOutcomes(runtime.now);
    const workOnGroup = async (group: string, records: readonly SQSRecord[], timeLeft: () => number) => {
      const { left, why } = await workOn(records, timeLeft);
      // What is not ordered belongs to no sensor: it says nothing about how those of other sensors fare.
      if (why !== 'again' && records.every(isOrdered)) outcomes.note(group, why === null);
      return left;
    };
    const oneByOne = putPoisonAside(runtime, workOn, outcomes);
    return async ({ Records }: SQSEvent, timeLeft): Promise<SQSBatchResponse> => {
      const groups = [...Map.groupBy(Records, groupOf)].map(([group, records]) =>
        inContext(idsOfMessages(records), async () => {
          const left = await (records.some(isStuck) ? oneByOne : workOnGroup)(group, records, timeLeft);
          await giveBack(left);
          return left;
        }),
      );
      const failed = (await Promise.all(groups)).flat();
      return { batchItemFailures: failed.map(({ messageId }): SQSBatchItemFailure => ({ itemIdentifier: messageId })) };
    };
  });
