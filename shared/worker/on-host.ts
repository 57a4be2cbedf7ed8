import type { Context, ScheduledEvent } from 'aws-lambda';
import { addLogContext, contextual, withLogContext } from '../observability/log.ts';
import { noMetrics } from '../observability/metrics.ts';
import type { Called, Scheduled } from '../queue/consumer.ts';
import { composeDeps, type Deps, type Runtime } from '../runtime/deps.ts';

export type ScheduleHandler = (event: ScheduledEvent, context: Context) => Promise<void>;

/** A handler that `with` creates for a host. Each log line names the consumer and the invocation. */
export const hostHandler = <E, R>(
  name: string,
  build: (runtime: Runtime) => (event: E, timeLeft: () => number, context: Context) => Promise<R>,
) => ({
  with: (runtime: Runtime) => {
    const handle = build({ ...runtime, log: contextual(runtime.log) });
    const { flush } = runtime.metrics ?? noMetrics;
    return (event: E, context: Context): Promise<R> =>
      withLogContext({ consumer: name, invocationId: context.awsRequestId }, () =>
        handle(event, () => context.getRemainingTimeInMillis(), context).finally(flush),
      );
  },
});

/**
 * Creates the Lambda handler for a scheduled function. `create` is called once per host, so the function it returns can
 * keep state between runs.
 */
export const onSchedule = <const S extends Scheduled>(
  contract: S,
  create: () => (deps: Deps<S['uses'][number]>, timeLeft: () => number) => Promise<void>,
) =>
  hostHandler(contract.name, (runtime: Runtime) => {
    const deps = composeDeps(runtime, contract.uses as readonly S['uses'][number][]);
    const run = create();
    return async (_event: ScheduledEvent, timeLeft) => run(await deps, timeLeft);
  });

/** Creates the Lambda handler for a function called with one event at a time. `build` is called once per host. */
export const onCall = <const C extends Pick<Called, 'name' | 'uses'>, E, R>(
  contract: C,
  build: (deps: Deps<C['uses'][number]>) => (event: E, context: Context) => Promise<R>,
) =>
  hostHandler(contract.name, (runtime: Runtime) => {
    const run = composeDeps(runtime, contract.uses as readonly C['uses'][number][]).then(build);
    return async (event: E, _timeLeft, context) => {
      addLogContext({ requestId: context.awsRequestId });
      return (await run)(event, context);
    };
  });
