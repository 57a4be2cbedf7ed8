import type { Context, ScheduledEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { compose, type Deps, type Runtime } from '../deps.ts';
import { lambdaRuntime } from '../lambda-runtime.ts';
import { inContext, noteContext, oneOrAll, withContext } from '../log.ts';
import { unmeasured } from '../metrics.ts';
import { type Called, type Consumer, retrySeconds, type Scheduled } from './consumer.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;
export type ScheduleHandler = (event: ScheduledEvent, context: Context) => Promise<void>;

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
};

/**
 * Gives tasks back without an error in the log: another process was faster, and the tasks have to be received again.
 */
export class ComeAgain extends Error {
  override name = 'ComeAgain';
}

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

/**
 * Makes a handler for one host. On Lambda the runtime is made at the first call. Each log line names the consumer and
 * the invocation.
 */
const onHost = <E, R>(
  name: string,
  build: (runtime: Runtime) => (event: E, timeLeft: () => number, context: Context) => Promise<R>,
) => {
  const on = (runtime: Runtime) => {
    const handle = build({ ...runtime, log: withContext(runtime.log) });
    const { flush } = runtime.metrics ?? unmeasured;
    return (event: E, context: Context): Promise<R> =>
      inContext({ consumer: name, invocationId: context.awsRequestId }, () =>
        handle(event, () => context.getRemainingTimeInMillis(), context).finally(flush),
      );
  };
  let onLambda: ReturnType<typeof on> | undefined;
  const handler = (event: E, context: Context): Promise<R> => {
    onLambda ??= on(lambdaRuntime());
    return onLambda(event, context);
  };
  return Object.assign(handler, { with: on });
};

const groupOf = ({ messageId, attributes }: SQSRecord): string =>
  // The group of a message makes a standard queue fair, but does not order its messages.
  attributes.SequenceNumber === undefined ? messageId : (attributes.MessageGroupId ?? messageId);

const IDS = ['customerId', 'sensorId', 'webhookId', 'deliveryId', 'replayId', 'uuid', 'requestId'];
/** Gives the ids in a task, by which all its log lines can be found. */
const idsOf = (task: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(task)).filter(([name, id]) => IDS.includes(name) && id !== undefined));
/**
 * Gives the ids of several tasks; an id that differs among them becomes a list. A task that does not follow from a call
 * is known by the id of its message.
 */
const idsOfAll = (tasks: readonly { messageId: string; task: unknown }[]) => {
  const all = tasks.map(({ messageId, task }): Record<string, unknown> => ({ requestId: messageId, ...idsOf(task) }));
  return Object.fromEntries(
    [...new Set(all.flatMap(Object.keys))].map((name) => [name, oneOrAll(all.map((ids) => ids[name]))]),
  );
};

/** Gives the ids of messages before they are parsed: of a message that cannot be parsed nothing else is known. */
const idsOfMessages = (records: readonly SQSRecord[]) => {
  const messageId = oneOrAll(records.map((one) => one.messageId));
  return { messageId, requestId: messageId };
};

/**
 * Moves an unreadable message to the quarantine, because repetitions would not make it readable and an operator can
 * learn from it what went wrong.
 */
const quarantine = async ({ queues, log }: Runtime, record: SQSRecord, reason: string): Promise<void> => {
  const { messageId, body, eventSourceARN } = record;
  log('error', 'a message cannot be read', { messageId, reason });
  const note = JSON.stringify({ queue: eventSourceARN.split(':').at(-1), messageId, reason, body });
  await queues.send('quarantine', [{ body: note, groupId: messageId, delaySeconds: 0 }]);
};

/**
 * Makes the Lambda handler of a consumer. Tasks of a standard queue run concurrently, each one alone: a failure gives
 * back only the task that failed. Tasks of one group of a FIFO queue run together and in order: a failure gives back
 * the task that failed and all tasks after it. A message that is given back becomes visible again after a pause that
 * grows with its receives.
 */
export const consume = <const C extends Consumer>(contract: C, work: Work<C>) =>
  onHost(contract.name, (runtime: Runtime) => {
    const { log, queues } = runtime;
    const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);

    /** Works on the records of one group, and gives those that are not done. */
    const workOn = async (records: readonly SQSRecord[], timeLeft: () => number): Promise<readonly SQSRecord[]> => {
      const left = new Set(records);
      try {
        const received: (Received<z.output<C['task']>> & { messageId: string })[] = [];
        for (const record of records) {
          const { data, error } = contract.task.safeParse(parse(record.body));
          const { ApproximateReceiveCount, SequenceNumber = '' } = record.attributes;
          const done = () => void left.delete(record);
          const task = data as z.output<C['task']>;
          const { messageId } = record;
          const receives = Number(ApproximateReceiveCount);
          if (!error) received.push({ messageId, task, sequence: SequenceNumber, receives, done });
          else await quarantine(runtime, record, error.issues[0]?.message ?? 'the body is not a task').then(done);
        }
        noteContext(idsOfAll(received));
        const ready = await deps;
        if (received.length > 0) await work(received, ready, timeLeft);
        return [];
      } catch (error) {
        if (error instanceof ComeAgain) log('info', 'a message comes again', { reason: error.message });
        else log('error', 'a message was not worked off', {}, error);
        return [...left];
      }
    };

    /** Makes records visible after a pause. If that fails, they are so at the end of their visibility timeout. */
    const giveBack = async (records: readonly SQSRecord[]): Promise<void> => {
      const [first] = records;
      if (!first) return;
      const seconds = retrySeconds(Number(first.attributes.ApproximateReceiveCount));
      const handles = records.map(({ receiptHandle }) => receiptHandle);
      await queues
        .hide(first.eventSourceARN, handles, seconds)
        .catch((error: unknown) => log('warn', 'messages become visible again too late', {}, error));
    };

    return async ({ Records }: SQSEvent, timeLeft): Promise<SQSBatchResponse> => {
      const groups = [...Map.groupBy(Records, groupOf).values()].map((records) =>
        inContext(idsOfMessages(records), async () => {
          const left = await workOn(records, timeLeft);
          await giveBack(left);
          return left;
        }),
      );
      const failed = (await Promise.all(groups)).flat();
      return { batchItemFailures: failed.map(({ messageId }): SQSBatchItemFailure => ({ itemIdentifier: messageId })) };
    };
  });

/**
 * Makes the Lambda handler of a scheduled function. `create` is called once for each host, so what it makes can
 * remember things from one run to the next.
 */
export const onSchedule = <const S extends Scheduled>(
  contract: S,
  create: () => (deps: Deps<S['uses'][number]>, timeLeft: () => number) => Promise<void>,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const deps = compose(runtime, contract.uses as readonly S['uses'][number][]);
    const run = create();
    return async (_event: ScheduledEvent, timeLeft) => run(await deps, timeLeft);
  });

/**
 * Makes the Lambda handler of a function that is called with one event at a time. `build` is called once for each host.
 */
export const onCall = <const C extends Pick<Called, 'name' | 'uses'>, E, R>(
  contract: C,
  build: (deps: Deps<C['uses'][number]>) => (event: E, context: Context) => Promise<R>,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const run = compose(runtime, contract.uses as readonly C['uses'][number][]).then(build);
    return async (event: E, _timeLeft, context) => {
      noteContext({ requestId: context.awsRequestId });
      return (await run)(event, context);
    };
  });
