import type { Context, ScheduledEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { compose, type Deps, type Runtime } from '../deps.ts';
import { lambdaRuntime } from '../lambda-runtime.ts';
import { inContext, withContext } from '../log.ts';
import { unmeasured } from '../metrics.ts';
import { type Called, type Consumer, retrySeconds, type Scheduled } from './consumer.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;
export type ScheduleHandler = (event: ScheduledEvent, context: Context) => Promise<void>;

/** A task as it was received. `sequence` grows within a group of a FIFO queue, as text too; `receives`: this is which one. */
export type Received<T> = {
  task: T;
  sequence: string;
  receives: number;
  /** The task is done, whatever becomes of those behind it. */
  done: () => void;
};

/** Nothing is wrong: somebody else was faster, and the task is to come again. */
export class ComeAgain extends Error {
  override name = 'ComeAgain';
}

/** Works on tasks in their order: one alone, or those of one group of a FIFO queue. Gives up by an error. */
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

/** The host's own runtime, or Lambda's at the first call. Each line of its log tells whose it is, and of which invocation. */
const onHost = <E, R>(
  name: string,
  build: (runtime: Runtime) => (event: E, timeLeft: () => number, context: Context) => Promise<R>,
) => {
  const on = (runtime: Runtime) => {
    const handle = build({ ...runtime, log: withContext(runtime.log) });
    const { flush } = runtime.metrics ?? unmeasured;
    return (event: E, context: Context): Promise<R> =>
      inContext({ consumer: name, requestId: context.awsRequestId }, () =>
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
  // On a standard queue the group makes it fair, and says nothing of an order.
  attributes.SequenceNumber === undefined ? messageId : (attributes.MessageGroupId ?? messageId);

const IDS = ['customerId', 'sensorId', 'webhookId', 'deliveryId', 'replayId', 'uuid'];
/** The ids that a task names, by which a person finds each line of its way. */
const idsOf = (task: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(Object(task)).filter(([name]) => IDS.includes(name)));

/** Puts aside what can't be read: no repetition will make it readable, and a person may learn from it what went wrong. */
const quarantine = async ({ queues, log }: Runtime, record: SQSRecord, reason: string): Promise<void> => {
  const { messageId, body, eventSourceARN } = record;
  log('error', 'a message cannot be read', { messageId, reason });
  const note = JSON.stringify({ queue: eventSourceARN.split(':').at(-1), messageId, reason, body });
  await queues.send('quarantine', [{ body: note, groupId: messageId, delaySeconds: 0 }]);
};

/**
 * The Lambda handler of a consumer. Tasks of a standard queue run side by side and alone: trouble with one gives that one
 * back. Those of a group of a FIFO queue run together, in their order: trouble with one gives it back, and all behind it.
 * What is given back is shown again after a pause that grows with the receives.
 */
export const consume = <const C extends Consumer>(contract: C, work: Work<C>) =>
  onHost(contract.name, (runtime: Runtime) => {
    const { log, queues } = runtime;
    const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);

    /** The records of one group; gives those that are not done. */
    const workOn = async (records: readonly SQSRecord[], timeLeft: () => number): Promise<readonly SQSRecord[]> => {
      const left = new Set(records);
      let ids = {};
      try {
        const received: Received<z.output<C['task']>>[] = [];
        for (const record of records) {
          const { data, error } = contract.task.safeParse(parse(record.body));
          const { ApproximateReceiveCount, SequenceNumber = '' } = record.attributes;
          const done = () => void left.delete(record);
          const task = data as z.output<C['task']>;
          if (!error)
            received.push({ task, sequence: SequenceNumber, receives: Number(ApproximateReceiveCount), done });
          else await quarantine(runtime, record, error.issues[0]?.message ?? 'it is no task').then(done);
        }
        ids = idsOf(received[0]?.task);
        const ready = await deps;
        if (received.length > 0) await inContext(ids, () => work(received, ready, timeLeft));
        return [];
      } catch (error) {
        if (error instanceof ComeAgain) log('info', 'a message comes again', { ...ids, reason: error.message });
        else log('error', 'a message was not worked off', ids, error);
        return [...left];
      }
    };

    /** Has them shown again. When that fails, they are after the visibility timeout. */
    const giveBack = async (records: readonly SQSRecord[]): Promise<void> => {
      const [first] = records;
      if (!first) return;
      const seconds = retrySeconds(Number(first.attributes.ApproximateReceiveCount));
      const handles = records.map(({ receiptHandle }) => receiptHandle);
      await queues
        .hide(first.eventSourceARN, handles, seconds)
        .catch((error: unknown) => log('warn', 'messages are shown again later than they could be', {}, error));
    };

    return async ({ Records }: SQSEvent, timeLeft): Promise<SQSBatchResponse> => {
      const groups = [...Map.groupBy(Records, groupOf).values()].map((records) =>
        inContext({ messageId: records[0]?.messageId }, async () => {
          const left = await workOn(records, timeLeft);
          await giveBack(left);
          return left;
        }),
      );
      const failed = (await Promise.all(groups)).flat();
      return { batchItemFailures: failed.map(({ messageId }): SQSBatchItemFailure => ({ itemIdentifier: messageId })) };
    };
  });

/** The Lambda handler of what runs by the clock. `create` makes what runs, with all that it remembers from run to run. */
export const onSchedule = <const S extends Scheduled>(
  contract: S,
  create: () => (deps: Deps<S['uses'][number]>, timeLeft: () => number) => Promise<void>,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const deps = compose(runtime, contract.uses as readonly S['uses'][number][]);
    const run = create();
    return async (_event: ScheduledEvent, timeLeft) => run(await deps, timeLeft);
  });

/** The Lambda handler of what is called with one event at a time; `build` makes it once for each host. */
export const onCall = <const C extends Pick<Called, 'name' | 'uses'>, E, R>(
  contract: C,
  build: (deps: Deps<C['uses'][number]>) => (event: E, context: Context) => Promise<R>,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const run = compose(runtime, contract.uses as readonly C['uses'][number][]).then(build);
    return async (event: E, _timeLeft, context) => (await run)(event, context);
  });
