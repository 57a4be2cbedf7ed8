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

/**
 * The Lambda handler of a consumer. Messages of a batch run side by side and alone: trouble with one returns that one.
 * What can't be read is logged and acknowledged, for no repetition will make it readable.
 */
export const consume = <const C extends Consumer>(contract: C, work: Work<C>) =>
  onHost((runtime: Runtime): QueueHandler => {
    const deps = compose(runtime, contract.uses as readonly C['uses'][number][]);
    const one = async ({ body, messageId }: SQSRecord, context: Context): Promise<string | null> => {
      const { data, success } = contract.message.safeParse(parse(body));
      if (!success) {
        runtime.log('error', 'a message cannot be read', { consumer: contract.name, messageId });
        return null;
      }
      try {
        await work(data as z.output<C['message']>, await deps, () => context.getRemainingTimeInMillis());
        return null;
      } catch (error) {
        runtime.log('error', 'a message was not worked off', { consumer: contract.name, messageId }, error);
        return messageId;
      }
    };
    return async ({ Records }, context) => {
      const failed = await Promise.all(Records.map((record) => one(record, context)));
      return { batchItemFailures: failed.flatMap((id) => (id === null ? [] : [{ itemIdentifier: id }])) };
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
