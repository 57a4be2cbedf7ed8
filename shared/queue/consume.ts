import type { Context, ScheduledEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { oneAtATime } from '../concurrency/one-at-a-time.ts';
import { compose, type Deps, lambdaRuntime, type Runtime } from '../deps.ts';
import { inContext, withContext } from '../log.ts';
import type { Consumer, Scheduled } from './consumer.ts';

export type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;
export type ScheduleHandler = (event: ScheduledEvent, context: Context) => Promise<void>;
type Work<C extends Consumer> = (
  message: z.output<C['message']>,
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
const onHost = <E, R>(name: string, build: (runtime: Runtime) => (event: E, timeLeft: () => number) => Promise<R>) => {
  const on = (runtime: Runtime) => {
    const handle = build({ ...runtime, log: withContext(runtime.log) });
    return (event: E, context: Context): Promise<R> =>
      inContext({ consumer: name, requestId: context.awsRequestId }, () =>
        handle(event, () => context.getRemainingTimeInMillis()),
      );
  };
  let onLambda: ReturnType<typeof on> | undefined;
  const handler = (event: E, context: Context): Promise<R> => {
    onLambda ??= on(lambdaRuntime());
    return onLambda(event, context);
  };
  return Object.assign(handler, { with: on });
};

const quarantine = Symbol('a message that cannot be read');

/** What a record says; what can't be read is logged and acknowledged, for no repetition will make it readable. */
const read = <C extends Consumer>(contract: C, { log }: Runtime, { body }: SQSRecord) => {
  const { data, success } = contract.message.safeParse(parse(body));
  if (success) return data as z.output<C['message']>;
  log('error', 'a message cannot be read');
  return quarantine;
};

/** ms that a message waits for the one before it. Both may run then: what they write is fenced by conditions. */
const LONGEST_TURN = 10_000;

/**
 * The Lambda handler of a consumer. Messages of a batch run side by side and alone: trouble with one returns that one.
 * Those with the same `turn` go one after the other, in the order of the batch, and where one process works on several
 * batches at once, in that of the batches; but none waits longer than 10 s for the one before it.
 */
export const consume = <const C extends Consumer>(
  contract: C,
  work: Work<C>,
  turn: (message: z.output<C['message']>) => string | null = () => null,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);
    const inTurn = oneAtATime(LONGEST_TURN);
    const one = async (record: SQSRecord, timeLeft: () => number): Promise<SQSBatchItemFailure[]> => {
      const message = read(contract, runtime, record);
      if (message === quarantine) return [];
      try {
        const run = async () => work(message, await deps, timeLeft);
        await inTurn(turn(message) ?? record.messageId, run);
        return [];
      } catch (error) {
        runtime.log('error', 'a message was not worked off', {}, error);
        return [{ itemIdentifier: record.messageId }];
      }
    };
    return async ({ Records }: SQSEvent, timeLeft): Promise<SQSBatchResponse> => {
      const all = Records.map((record) => inContext({ messageId: record.messageId }, () => one(record, timeLeft)));
      return { batchItemFailures: (await Promise.all(all)).flat() };
    };
  });

/** The Lambda handler of what runs by the clock. */
export const onSchedule = <const S extends Scheduled>(
  contract: S,
  run: (deps: Deps<S['uses'][number]>, timeLeft: () => number) => Promise<void>,
) =>
  onHost(contract.name, (runtime: Runtime) => {
    const deps = compose(runtime, contract.uses as readonly S['uses'][number][]);
    return async (_event: ScheduledEvent, timeLeft) => run(await deps, timeLeft);
  });
