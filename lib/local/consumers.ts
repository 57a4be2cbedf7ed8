import { consumers, schedules } from '../../functions/index.ts';
import { type QueueName, queueNames } from '../../shared/capabilities.ts';
import type { Runtime } from '../../shared/deps.ts';
import { LEASE_SECONDS } from '../../shared/domain/delivery.ts';
import { groupOf, MAX_DELAY_SECONDS } from '../../shared/queue/bell.ts';
import type { QueueHandler, ScheduleHandler } from '../../shared/queue/consume.ts';
import { type Consumer, MAX_RECEIVES, visibilitySeconds } from '../../shared/queue/consumer.ts';
import { GRACE } from '../../shared/store/due.ts';
import { store } from '../../shared/store/store.ts';
import type { Clock } from './clock.ts';
import { type Around, loadHandler } from './load.ts';
import { poll, schedule } from './pollers.ts';
import { createQueue, type Queue } from './queue.ts';
import { type ensureQueues, sqsSource } from './sqs.ts';

/** Schedules run at least this often here: there is no minute to wait for when the work costs nothing. */
const SWEEP_SECONDS = 5;

/** The queues of the system with their dead-letter queues, in this process. */
export const createQueues = (clock: Clock): Record<QueueName, Queue> => {
  const one = (name: QueueName): Queue => {
    const reader = consumers.find(({ queues }) => (queues as readonly QueueName[]).includes(name));
    const visibility = visibilitySeconds(reader ?? { timeoutSeconds: 60 });
    const limits = { visibilitySeconds: visibility, maxReceiveCount: MAX_RECEIVES, clock };
    return createQueue({ name, ...limits, deadLetter: createQueue({ name: `${name}-dead`, ...limits }) });
  };
  return Object.fromEntries(queueNames.map((name) => [name, one(name)])) as Record<QueueName, Queue>;
};

type Mapping = Pick<Consumer, 'name' | 'batchSize' | 'concurrency' | 'ofCustomer' | 'ofGroup' | 'timeoutSeconds'> & {
  queue: QueueName;
};

/** Where bells are: in this process, or at an SQS endpoint. */
export type Bells = { queues: Record<QueueName, Queue> } | Awaited<ReturnType<typeof ensureQueues>>;

/** A queue of this process needs no closing. */
const open = (
  bells: Bells,
  name: QueueName,
  limits: Pick<Parameters<typeof sqsSource>[0], 'timeoutSeconds' | 'clock' | 'onError'>,
) =>
  'queues' in bells
    ? { source: bells.queues[name], close: async () => {} }
    : sqsSource({ client: bells.client, url: bells.urls[name], name, ...limits });

const startPollers = async (
  runtime: Runtime,
  bells: Bells,
  clock: Clock,
  onError: (error: unknown, requestId?: string) => void,
  around?: Around,
) => {
  const mappings: Mapping[] = consumers.flatMap(({ queues, ...limits }) =>
    queues.map((queue) => ({ ...limits, queue })),
  );
  const started = mappings.map(async ({ name, queue, ofCustomer, ofGroup, ...limits }: Mapping) => {
    const handler: QueueHandler = await loadHandler(name, runtime, around);
    const { source, close } = open(bells, queue, { timeoutSeconds: limits.timeoutSeconds, clock, onError });
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
      // One may have rung for another that was idle before: all of them, as often as there are links in the longest chain.
      for (const _ of pollers) await Promise.all(pollers.map((one) => one.idle()));
    },
    stop: async () => void (await Promise.all(pollers.map((one) => one.stop()))),
  };
};

/** Connects every consumer to its queues and every schedule to the clock. */
export const startConsumers = async (
  given: Runtime,
  bells: Bells,
  clock: Clock,
  { sweepSeconds = SWEEP_SECONDS, around }: { sweepSeconds?: number; around?: Around } = {},
) => {
  const runtime: Runtime = { ...given, sweepSeconds };
  const onError = (error: unknown, requestId?: string) =>
    runtime.log('error', 'an invocation failed', { requestId }, error);
  const pollers = await startPollers(runtime, bells, clock, onError, around);
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

/**
 * After a start the queues of this process are empty, whatever was in them before: everything that waits in the table
 * is rung for at its time. A delivery may still be claimed by the process that ended: it is rung for once more when
 * that claim has lapsed.
 */
export const recover = async ({ table, send, now }: Runtime): Promise<number> => {
  let rung = 0;
  for await (const page of store(table).due.waiting(now() + MAX_DELAY_SECONDS * 1_000))
    for (const one of page) {
      const wait = Math.max(0, Math.ceil((one.time - GRACE - now()) / 1_000));
      const { customerId: c } = one;
      // A sensor's silence, and work for a webhook as a whole, need no bell now: the sweeper looks at them.
      if (one.kind === 'sensor' || one.kind === 'job') continue;
      const bell =
        one.kind === 'event' ? { c, s: one.sensorId, e: [one.uuid] } : { c, w: one.webhookId, d: one.deliveryId };
      const delays = one.kind === 'event' || wait > 0 ? [wait] : [0, LEASE_SECONDS + 1];
      const bells = delays.map((delaySeconds) => ({
        body: JSON.stringify(bell),
        groupId: groupOf(bell),
        delaySeconds,
      }));
      await send(one.kind === 'event' ? 'events' : 'deliveries', bells);
      rung += 1;
    }
  return rung;
};
