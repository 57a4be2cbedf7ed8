import { consumers, schedules } from '../../functions/index.ts';
import type { QueueName } from '../../shared/capabilities.ts';
import type { Runtime } from '../../shared/deps.ts';
import type { QueueHandler, ScheduleHandler } from '../../shared/queue/consume.ts';
import type { Consumer } from '../../shared/queue/consumer.ts';
import type { Clock } from './clock.ts';
import { type Around, loadHandler } from './load.ts';
import { poll, schedule } from './pollers.ts';
import type { LocalQueues } from './queues.ts';
import { type ensureQueues, sqsSource } from './sqs.ts';

/** Schedules run at least this often here: there is no minute to wait for when the work costs nothing. */
const SWEEP_SECONDS = 5;

type Mapping = Pick<Consumer, 'name' | 'batchSize' | 'concurrency' | 'ofCustomer' | 'ofGroup' | 'timeoutSeconds'> & {
  queue: QueueName;
};

/** Where tasks wait: in this process, or at an SQS endpoint. */
export type Waiting = { queues: LocalQueues; dead: LocalQueues } | Awaited<ReturnType<typeof ensureQueues>>;

/** A queue of this process needs no closing. */
const open = (
  waiting: Waiting,
  name: QueueName,
  limits: Pick<Parameters<typeof sqsSource>[0], 'timeoutSeconds' | 'clock' | 'onError'>,
) =>
  'queues' in waiting
    ? { source: waiting.queues[name], close: async () => {} }
    : sqsSource({ client: waiting.client, url: waiting.urls[name], name, ...limits });

const startPollers = async (
  runtime: Runtime,
  waiting: Waiting,
  clock: Clock,
  onError: (error: unknown, requestId?: string) => void,
  around?: Around,
) => {
  const mappings: Mapping[] = consumers.flatMap(({ queues, ...limits }) =>
    queues.map((queue) => ({ ...limits, queue })),
  );
  const started = mappings.map(async ({ name, queue, ofCustomer, ofGroup, ...limits }: Mapping) => {
    const handler: QueueHandler = await loadHandler(name, runtime, around);
    const { source, close } = open(waiting, queue, { timeoutSeconds: limits.timeoutSeconds, clock, onError });
    const options = { queue: source, functionName: name, handler, ...limits, clock, onError };
    const { idle, stop } = poll({
      ...{ ...options, reportFailures: true },
      ...(ofCustomer && { ofCustomer }),
      ...(ofGroup && { ofGroup }),
    });
    return { idle, stop: () => stop().then(close) };
  });
  const pollers = await Promise.all(started);
  return {
    idle: async () => {
      // One may have work for another that was idle before: all of them, as often as there are links in the longest chain.
      for (const _ of pollers) await Promise.all(pollers.map((one) => one.idle()));
    },
    stop: async () => void (await Promise.all(pollers.map((one) => one.stop()))),
  };
};

/** Connects every consumer to its queues and every schedule to the clock. */
export const startConsumers = async (
  given: Runtime,
  waiting: Waiting,
  clock: Clock,
  { sweepSeconds = SWEEP_SECONDS, around }: { sweepSeconds?: number; around?: Around } = {},
) => {
  const runtime: Runtime = { ...given, sweepSeconds };
  const onError = (error: unknown, requestId?: string) =>
    runtime.log('error', 'an invocation failed', { requestId }, error);
  const pollers = await startPollers(runtime, waiting, clock, onError, around);
  const timers = await Promise.all(
    schedules.map(async ({ name, everySeconds, timeoutSeconds }) => {
      const handler: ScheduleHandler = await loadHandler(name, runtime, around);
      return schedule({
        name,
        everyMs: Math.min(everySeconds, sweepSeconds) * 1_000,
        timeoutSeconds,
        handler,
        clock,
        onError,
      });
    }),
  );
  return {
    sweep: async () => void (await Promise.all(timers.map((one) => one.runNow()))),
    /** Resolves when the queues of this process have nothing to give, nobody works on them, and no sweep is under way. */
    idle: async () => {
      await Promise.all(timers.map((one) => one.idle()));
      await pollers.idle();
    },
    stop: async () => void (await Promise.all([pollers.stop(), ...timers.map((one) => one.stop())])),
  };
};
