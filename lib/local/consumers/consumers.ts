import { consumers } from '#functions/index.ts';
import { canaryRound } from '#functions/workers/canary-round/contract.ts';
import { sweep } from '#functions/workers/sweep/contract.ts';
import { watchChanges } from '#functions/workers/watch-changes/contract.ts';
import type { Consumer, Scheduled } from '#shared/queue/consumer.ts';
import type { QueueName } from '#shared/queue/names.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import type { QueueHandler } from '#shared/worker/consume.ts';
import type { ScheduleHandler } from '#shared/worker/on-host.ts';
import type { Clock } from '../clock.ts';
import { type AroundInvocation, loadHandler } from '../lambda/load-handler.ts';
import type { LocalQueues } from '../queue/queues.ts';
import { poll } from './pollers.ts';
import { schedule } from './schedule.ts';
import { type ensureQueues, sqsSource } from './sqs.ts';

/** The sweep interval (s) on this host: shorter than the minute in AWS, because runs cost nothing here. */
const SWEEP_SECONDS = 5;

type Mapping = Pick<
  Consumer,
  'name' | 'batchSize' | 'concurrency' | 'concurrencyPerCustomer' | 'concurrencyPerGroup' | 'timeoutSeconds'
> & {
  queue: QueueName;
};

/** The queues with pending tasks, in this process or at an SQS endpoint. */
export type QueueSet = { queues: LocalQueues; dead: LocalQueues } | Awaited<ReturnType<typeof ensureQueues>>;

/** Returns a queue's message source. A queue in this process needs no closing. */
const open = (
  waiting: QueueSet,
  name: QueueName,
  limits: Pick<Parameters<typeof sqsSource>[0], 'timeoutSeconds' | 'clock' | 'onError'>,
) =>
  'queues' in waiting
    ? { source: waiting.queues[name], close: async () => {} }
    : sqsSource({ client: waiting.client, url: waiting.urls[name], name, ...limits });

const startPollers = async (
  runtime: Runtime,
  waiting: QueueSet,
  { clock, onError }: { clock: Clock; onError: (error: unknown, invocationId?: string) => void },
  around?: AroundInvocation,
) => {
  const mappings: Mapping[] = consumers.flatMap(({ queues, ...limits }) =>
    queues.map((queue) => ({ ...limits, queue })),
  );
  const started = mappings.map(
    async ({ name, queue, concurrencyPerCustomer: ofCustomer, concurrencyPerGroup: ofGroup, ...limits }: Mapping) => {
      const handler: QueueHandler = await loadHandler(name, runtime, around);
      const { source, close } = open(waiting, queue, { timeoutSeconds: limits.timeoutSeconds, clock, onError });
      const { idle, stop } = poll({
        queue: source,
        functionName: name,
        handler,
        ...limits,
        clock,
        onError,
        reportFailures: true,
        ...(ofCustomer && { ofCustomer }),
        ...(ofGroup && { ofGroup }),
      });
      return { idle, stop: () => stop().then(close) };
    },
  );
  const pollers = await Promise.all(started);
  return {
    idle: async () => {
      // A poller may send tasks to another poller that is already idle. Awaiting all pollers once per poller is enough,
      // because no chain of queues is longer than that.
      for (const _ of pollers) await Promise.all(pollers.map((poller) => poller.idle()));
    },
    stop: async () => {
      await Promise.all(pollers.map((poller) => poller.stop()));
    },
  };
};

/** The delay (ms) before the first canary fall, which gives the service time to start listening. */
const FIRST_CANARY_MS = 2_000;

/** Connects every consumer to its queue and every schedule to the clock. */
export const startConsumers = async (
  runtimeOfHost: Runtime,
  waiting: QueueSet,
  clock: Clock,
  { sweepSeconds = SWEEP_SECONDS, around }: { sweepSeconds?: number; around?: AroundInvocation } = {},
) => {
  const runtime: Runtime = { ...runtimeOfHost, sweepSeconds };
  const onError = (error: unknown, invocationId?: string) =>
    runtime.log('error', 'an invocation failed', { invocationId }, error);
  const pollers = await startPollers(runtime, waiting, { clock, onError }, around);
  const start = async ({ name, timeoutSeconds }: Scheduled, seconds: number, firstMs?: number) => {
    const handler: ScheduleHandler = await loadHandler(name, runtime, around);
    return schedule({
      name,
      everyMs: seconds * 1_000,
      ...(firstMs !== undefined && { firstMs }),
      timeoutSeconds,
      handler,
      clock,
      onError,
    });
  };
  const sweeping = await start(sweep, Math.min(sweep.everySeconds, sweepSeconds));
  const canary = runtime.settings.CANARY ? [await start(canaryRound, canaryRound.everySeconds, FIRST_CANARY_MS)] : [];
  const watching = await start(watchChanges, Math.min(watchChanges.everySeconds, sweepSeconds));
  const timers = [sweeping, watching, ...canary];
  return {
    sweep: () => sweeping.runNow(),
    checkChanges: () => watching.runNow(),
    /**
     * Resolves when the in-process queues have no visible message, and no invocation or scheduled run is in progress.
     */
    idle: async () => {
      await Promise.all(timers.map((timer) => timer.idle()));
      await pollers.idle();
    },
    stop: async () => {
      await Promise.all([pollers.stop(), ...timers.map((timer) => timer.stop())]);
    },
  };
};
