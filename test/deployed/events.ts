import type { SQSBatchResponse } from 'aws-lambda';
import type { Clock } from '#lib/local/clock.ts';
import { poll } from '#lib/local/consumers/pollers.ts';
import { schedule } from '#lib/local/consumers/schedule.ts';
import type { Judge } from '../fixtures/iam-judge.ts';
import { type Account, lambdaArn } from './account.ts';
import type { DeployedFunction } from './functions.ts';
import type { Made } from './queues.ts';
import { permissionsOf } from './routes.ts';

/**
 * Invocations at a time that a mapping makes here, unless a test wants more for its queue: enough that two processes work
 * on a queue side by side.
 */
export const SIDE_BY_SIDE = 2;
/** The function's own time bounds an invocation, not that of who makes it, for whom a test may set the clock ahead. */
const UNBOUNDED = 2_000_000;

type Mapping = {
  id: string;
  dependsOn: string[];
  FunctionName: string;
  EventSourceArn: string;
  BatchSize: number;
  FunctionResponseTypes?: string[];
  ScalingConfig?: { MaximumConcurrency: number };
};
/** What the mappings of events have to know of the deployed stack. */
export type Wiring = {
  account: Account;
  /** By ARN. */
  functions: ReadonlyMap<string, DeployedFunction>;
  queues: readonly Made[];
  judge: Judge;
  /** By ARN of the queue. */
  sideBySide: (arn: string) => number;
  clock: Clock;
  onError: (error: unknown) => void;
};

/** What a mapping may say that is imitated here; anything else must not be overlooked. */
const KNOWN = ['BatchSize', 'EventSourceArn', 'FunctionName', 'FunctionResponseTypes', 'ScalingConfig'];
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** The mappings of the template, with the ARNs of the functions or aliases that they invoke. */
export const mappingsOf = (account: Account): readonly (Mapping & { lambda: string })[] =>
  account.all<Mapping>('AWS::Lambda::EventSourceMapping').map((mapping) => {
    const { id, dependsOn: _, ...written } = mapping;
    const unknown = Object.keys(written).filter((key) => !KNOWN.includes(key));
    if (unknown.length > 0) throw new Error(`${id} has ${unknown}, which is not imitated here`);
    return { ...mapping, lambda: lambdaArn(mapping.FunctionName) };
  });

const startMapping = (
  mapping: ReturnType<typeof mappingsOf>[number],
  { functions, queues, judge, sideBySide, clock, onError }: Wiring,
) => {
  const { id, lambda: arn, EventSourceArn, BatchSize, FunctionResponseTypes = [], ScalingConfig } = mapping;
  const lambda = functions.get(arn);
  const source = queues.find((queue) => queue.arn === EventSourceArn);
  if (!lambda || !source) throw new Error(`${id} has no function, or no queue`);
  const resource = `queue/${source.name}`;
  if (!POLLING.every((action) => judge.isAllowed(lambda.name, { action, resource }))) return null;
  const reports = FunctionResponseTypes.includes('ReportBatchItemFailures');
  return poll({
    queue: source.queue,
    functionName: lambda.name,
    batchSize: BatchSize,
    reportFailures: true,
    onError,
    clock,
    timeoutSeconds: UNBOUNDED,
    concurrency: Math.min(ScalingConfig?.MaximumConcurrency ?? Number.POSITIVE_INFINITY, sideBySide(EventSourceArn)),
    // Without the right mode Lambda deletes all of a batch, whatever is named in the answer.
    handler: async (event) => {
      const answer = (await lambda.invoke(event)) as SQSBatchResponse;
      return reports ? answer : undefined;
    },
  });
};

type Rule = { id: string; ScheduleExpression: string; State: string; Targets: { Arn: string }[] };

const everyOf = ({ id, ScheduleExpression }: Rule): number => {
  const [, count, unit] = /^rate\((\d+) (minute|day)s?\)$/.exec(ScheduleExpression) ?? [];
  if (!count) throw new Error(`${id} runs by ${ScheduleExpression}, which is not imitated here`);
  return Number(count) * (unit === 'day' ? 86_400_000 : 60_000);
};

const startRule = (rule: Rule, { account, functions, clock, onError }: Wiring) =>
  rule.Targets.map(({ Arn }) => {
    const lambda = functions.get(Arn);
    if (!lambda || rule.State !== 'ENABLED') throw new Error(`${rule.id} runs nothing`);
    if (permissionsOf(account, 'events.amazonaws.com', Arn, account.arnOf(rule.id)).length === 0)
      throw new Error(`${lambda.name} may not be invoked by ${rule.id}`);
    const { name, invoke: handler } = lambda;
    const time = { everyMs: everyOf(rule), timeoutSeconds: UNBOUNDED, clock };
    return schedule({ name, handler, ...time, onError });
  });

/** Connects functions to their queues and to the clock, as the template says. */
export const startEvents = (options: Wiring) => {
  const { account } = options;
  const timers = account.all<Rule>('AWS::Events::Rule').flatMap((rule) => startRule(rule, options));
  const pollers = mappingsOf(account).flatMap((mapping) => startMapping(mapping, options) ?? []);
  return {
    sweep: async () => void (await Promise.all(timers.map((timer) => timer.runNow()))),
    /** Resolves when the queues have nothing to give, nobody works on them, and nothing runs by the clock. */
    idle: async () => {
      await Promise.all(timers.map((timer) => timer.idle()));
      // One may have work for another that was idle before.
      for (const _ of pollers) await Promise.all(pollers.map((poller) => poller.idle()));
    },
    stop: async () => void (await Promise.all([...pollers, ...timers].map((poller) => poller.stop()))),
  };
};
