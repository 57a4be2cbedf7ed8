import type { SQSBatchResponse } from 'aws-lambda';
import type { Clock } from '#lib/local/clock.ts';
import { poll } from '#lib/local/consumers/pollers.ts';
import { schedule } from '#lib/local/consumers/schedule.ts';
import type { Judge } from '../fixtures/iam-check.ts';
import { type Account, lambdaArn } from './account.ts';
import type { DeployedFunction } from './functions.ts';
import type { DeployedQueue } from './queues.ts';
import { permissionsOf } from './routes.ts';

/**
 * Concurrent invocations per mapping, unless a test sets more for a queue. This is enough for two processes to work on
 * a queue at the same time.
 */
export const DEFAULT_CONCURRENCY = 2;

/**
 * The poller timeout (s). Invocations are limited by the function's own timeout, because a test may set this clock
 * ahead.
 */
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

/** The part of the deployed stack that event source mappings and rules need. */
export type Wiring = {
  account: Account;
  /** The functions by ARN. */
  functions: ReadonlyMap<string, DeployedFunction>;
  queues: readonly DeployedQueue[];
  judge: Judge;
  /** Returns the number of concurrent invocations for a queue ARN. */
  sideBySide: (arn: string) => number;
  clock: Clock;
  onError: (error: unknown) => void;
};

/** The mapping properties simulated here. Any other property in the template is an error. */
const SIMULATED = ['BatchSize', 'EventSourceArn', 'FunctionName', 'FunctionResponseTypes', 'ScalingConfig'];

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions */
const POLLING = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

/** Returns the template's mappings, each with the ARN of the function or alias to invoke. */
export const mappingsOf = (account: Account): readonly (Mapping & { lambda: string })[] =>
  account.all<Mapping>('AWS::Lambda::EventSourceMapping').map((mapping) => {
    const { id, dependsOn: _, ...written } = mapping;
    const unknown = Object.keys(written).filter((key) => !SIMULATED.includes(key));
    if (unknown.length > 0) throw new Error(`${id} has ${unknown}, which is not simulated`);
    return { ...mapping, lambda: lambdaArn(mapping.FunctionName) };
  });

const startMapping = (
  mapping: ReturnType<typeof mappingsOf>[number],
  { functions, queues, judge, sideBySide, clock, onError }: Wiring,
) => {
  const { id, lambda: arn, EventSourceArn, BatchSize, FunctionResponseTypes = [], ScalingConfig } = mapping;
  const lambda = functions.get(arn);
  const source = queues.find((queue) => queue.arn === EventSourceArn);
  if (!lambda || !source) throw new Error(`${id} has no function or no queue`);
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
    // Without this response type, Lambda deletes the whole batch, whatever the function returns.
    handler: async (event) => {
      const answer = (await lambda.invoke(event)) as SQSBatchResponse;
      return reports ? answer : undefined;
    },
  });
};

type Rule = { id: string; ScheduleExpression: string; State: string; Targets: { Arn: string }[] };

const intervalOf = ({ id, ScheduleExpression }: Rule): number => {
  const [, count, unit] = /^rate\((\d+) (minute|day)s?\)$/.exec(ScheduleExpression) ?? [];
  if (!count) throw new Error(`the schedule ${ScheduleExpression} of ${id} is not simulated`);
  return Number(count) * (unit === 'day' ? 86_400_000 : 60_000);
};

const startRule = (rule: Rule, { account, functions, clock, onError }: Wiring) =>
  rule.Targets.map(({ Arn }) => {
    const lambda = functions.get(Arn);
    if (!lambda || rule.State !== 'ENABLED') throw new Error(`${rule.id} invokes no function`);
    if (permissionsOf(account, 'events.amazonaws.com', Arn, account.arnOf(rule.id)).length === 0)
      throw new Error(`${lambda.name} may not be invoked by ${rule.id}`);
    const { name, invoke: handler } = lambda;
    const time = { everyMs: intervalOf(rule), timeoutSeconds: UNBOUNDED, clock };
    return schedule({ name, handler, ...time, onError });
  });

/** Connects functions to their queues and schedules, as in the template. */
export const startEvents = (options: Wiring) => {
  const { account } = options;
  const timers = account.all<Rule>('AWS::Events::Rule').flatMap((rule) => startRule(rule, options));
  const pollers = mappingsOf(account).flatMap((mapping) => startMapping(mapping, options) ?? []);
  return {
    sweep: async () => void (await Promise.all(timers.map((timer) => timer.runNow()))),
    /** Resolves when no message is available or in progress, and no scheduled function is running. */
    idle: async () => {
      await Promise.all(timers.map((timer) => timer.idle()));
      // A function may have enqueued work for another function that was already idle.
      for (const _ of pollers) await Promise.all(pollers.map((poller) => poller.idle()));
    },
    stop: async () => void (await Promise.all([...pollers, ...timers].map((poller) => poller.stop()))),
  };
};
