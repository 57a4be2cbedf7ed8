import type { Context, ScheduledEvent, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { compose, type Deps, lambdaRuntime, type Runtime } from '../deps.ts';
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

/** The host's own runtime, or Lambda's at the first call. */
const onHost = <H extends (event: never, context: Context) => Promise<unknown>>(build: (runtime: Runtime) => H) => {
  let onLambda: H | undefined;
  const handler = ((event: never, context: Context) => {
    onLambda ??= build(lambdaRuntime());
    return onLambda(event, context);
  }) as H;
  return Object.assign(handler, { with: build });
};

const quarantine = Symbol('a message that cannot be read');

/** What a record says; what can't be read is logged and acknowledged, for no repetition will make it readable. */
const read = <C extends Consumer>(contract: C, runtime: Runtime, { body, messageId }: SQSRecord) => {
  const { data, success } = contract.message.safeParse(parse(body));
  if (success) return data as z.output<C['message']>;
  runtime.log('error', 'a message cannot be read', { consumer: contract.name, messageId });
  return quarantine;
};

/**
 * The Lambda handler of a consumer. Messages of a batch run side by side and alone: trouble with one returns that one.
 * Those with the same `turn` go one after the other, in the order of the batch, and where one process works on several
 * batches at once, in that of the batches.
 */
export const consume = <const C extends Consumer>(
  contract: C,
  work: Work<C>,
  turn: (message: z.output<C['message']>) => string | null = () => null,
) =>
  onHost((runtime: Runtime): QueueHandler => {
    const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);
    const turns = new Map<string, Promise<unknown>>();
    return async ({ Records }, context) => {
      const one = async (message: z.output<C['message']>, messageId: string, before: Promise<unknown>) => {
        await before;
        try {
          await work(message, await deps, () => context.getRemainingTimeInMillis());
          return [];
        } catch (error) {
          runtime.log('error', 'a message was not worked off', { consumer: contract.name, messageId }, error);
          return [{ itemIdentifier: messageId }];
        }
      };
      const failed = Records.map((record) => {
        const message = read(contract, runtime, record);
        if (message === quarantine) return [];
        const key = turn(message) ?? record.messageId;
        const done = one(message, record.messageId, turns.get(key) ?? Promise.resolve());
        turns.set(key, done);
        void done.then(() => turns.get(key) === done && turns.delete(key));
        return done;
      });
      return { batchItemFailures: (await Promise.all(failed)).flat() };
    };
  });

/** The Lambda handler of what runs by the clock. */
export const onSchedule = <const S extends Scheduled>(
  contract: S,
  run: (deps: Deps<S['uses'][number]>, timeLeft: () => number) => Promise<void>,
) =>
  onHost((runtime: Runtime): ScheduleHandler => {
    const deps = compose(runtime, contract.uses as readonly S['uses'][number][]);
    return async (_event, context) => run(await deps, () => context.getRemainingTimeInMillis());
  });
