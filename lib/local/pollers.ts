import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Context, ScheduledEvent, SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import type { Clock } from './clock.ts';
import { createGroups } from './groups.ts';
import type { Message, MessageSource } from './queue.ts';

const REGION = 'eu-central-1';
const ACCOUNT = '000000000000';

/** An SQSBatchResponse, or nothing, which means that all went well. */
type Answer = Awaited<ReturnType<SQSHandler>>;

export type PollOptions = {
  queue: MessageSource;
  functionName: string;
  handler: (event: SQSEvent, context: Context) => Promise<Answer>;
  /** Messages for one invocation. */
  batchSize: number;
  /** Invocations at a time. */
  concurrency: number;
  /**
   * Messages of one customer, and of one group, that are worked on at a time. Each is an invocation of its own then:
   * nobody's slow message keeps another's from being done.
   */
  ofCustomer?: number;
  ofGroup?: number;
  /** An invocation that takes longer has failed, and what it answers afterwards doesn't count. */
  timeoutSeconds: number;
  /** ReportBatchItemFailures, the only mode that exists here. */
  reportFailures: true;
  clock: Clock;
  /** Hears about each invocation that failed as a whole, by its request id; must not throw. */
  onError: (error: unknown, requestId: string) => void;
  newId?: () => string;
};

export type Poller = {
  /** No new invocation starts; resolves when those running have ended. */
  stop(): Promise<void>;
  /** Resolves when the queue has nothing to give, and no invocation is running. */
  idle(): Promise<void>;
};

/**
 * An event source mapping: invokes `handler` with batches from `queue` for as long as there are any. What the answer
 * names stays and becomes visible again after the visibility timeout, all other messages of the batch are removed.
 * A throw, a timeout or a malformed answer keeps the whole batch. It's the handler of a FIFO queue that sees to order in a
 * group: after a failure it names all that follow, for what it doesn't name is gone.
 */
export const poll = (options: PollOptions): Poller => {
  const { queue, batchSize, ofCustomer = Number.POSITIVE_INFINITY, ofGroup = ofCustomer } = options;
  // Alone, messages take as much together as they do in batches.
  const isAlone = options.ofCustomer !== undefined;
  const concurrency = options.concurrency * (isAlone ? batchSize : 1);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const groups = createGroups(ofCustomer, ofGroup);

  const start = (messages: Message[]): void => {
    const leave = groups.enter(messages);
    const run = invokeWith(messages, options).finally(() => {
      leave();
      running.delete(run);
    });
    running.add(run);
  };
  /** Sleeps until a message comes that may be received, or a run ends, which may let others in. */
  const rest = async (): Promise<void> => {
    const woken = new AbortController();
    const signal = AbortSignal.any([stopping.signal, woken.signal]);
    await Promise.race([...running, queue.waitForMessage(signal)]);
    woken.abort();
  };
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const free = concurrency - running.size;
      const messages = free > 0 ? queue.receive(isAlone ? 1 : batchSize, groups.isFull) : [];
      if (messages.length > 0) start(messages);
      else if (free <= 0) await Promise.race(running);
      else await rest();
    }
  };
  const looping = loop();
  const hasMore = () => {
    const { visible, blocked = 0 } = queue.stats();
    return visible > blocked;
  };
  const busy = () => running.size > 0 || (!stopping.signal.aborted && hasMore());

  return {
    async stop() {
      stopping.abort();
      await Promise.all([looping, ...running]);
    },
    async idle() {
      while (busy()) await (running.size > 0 ? Promise.race(running) : setImmediate());
    },
  };
};

const invokeWith = async (messages: Message[], options: PollOptions): Promise<void> => {
  const { queue, handler, clock, timeoutSeconds, onError } = options;
  const event = { Records: messages.map((message) => asRecord(message, queue.name)) };
  const context = lambdaContext(options);
  try {
    const answer = await within(clock, timeoutSeconds, () => handler(event, context));
    const failed = failedIds(answer, messages);
    const done = messages.filter(({ messageId }) => !failed.has(messageId));
    await Promise.all(done.map(({ receiptHandle }) => queue.remove(receiptHandle)));
  } catch (error) {
    onError(error, context.awsRequestId);
  }
};

// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
const failedIds = (answer: Answer, messages: Message[]): Set<string> => {
  const failed = (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  const unknown = failed.filter((id) => !messages.some(({ messageId }) => messageId === id));
  if (unknown.length > 0) throw new Error(`the answer names messages that are not in the batch: ${unknown.join(', ')}`);
  return new Set(failed);
};

const asRecord = ({ attributes, ...message }: Message, queueName: string): SQSRecord => ({
  ...message,
  attributes: { ...attributes, SenderId: ACCOUNT },
  messageAttributes: {},
  md5OfBody: createHash('md5').update(message.body).digest('hex'),
  eventSource: 'aws:sqs',
  eventSourceARN: `arn:aws:sqs:${REGION}:${ACCOUNT}:${queueName}`,
  awsRegion: REGION,
});

/** Like the timeout of a Lambda, except that the code can't be killed: it runs on, but nobody hears its answer. */
const within = async <T>(clock: Clock, seconds: number, run: () => Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(seconds * 1000, () => late.reject(new Error(`timed out after ${seconds} seconds`)));
  try {
    return await Promise.race([run(), late.promise]);
  } finally {
    cancel();
  }
};

export type ContextOptions = { functionName: string; timeoutSeconds: number; clock: Clock; newId?: () => string };

/** The context of one invocation that starts now; the time that remains comes from `clock` and is never below 0. */
export const lambdaContext = ({ functionName, timeoutSeconds, clock, newId = randomUUID }: ContextOptions): Context => {
  const deadline = clock.now() + timeoutSeconds * 1000;
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${functionName}`,
    awsRequestId: newId(),
    memoryLimitInMB: '512',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - clock.now()),
    done: noCallbacks,
    fail: noCallbacks,
    succeed: noCallbacks,
  };
};

const noCallbacks = (): never => {
  throw new Error('the Lambda runtime of Node 24 has no callbacks: return a promise');
};

export type ScheduleOptions = {
  name: string;
  everyMs: number;
  handler: (event: ScheduledEvent, context: Context) => Promise<unknown>;
  /** 60 unless told otherwise. */
  timeoutSeconds?: number;
  clock: Clock;
  /** Hears about each run that failed, by its request id; must not throw. */
  onError: (error: unknown, requestId: string) => void;
  newId?: () => string;
};

export type Schedule = {
  /** No new run starts; resolves when the one running has ended. */
  stop(): Promise<void>;
  /** Runs once, after the run under way if there is one, and resolves when it ended, well or badly. */
  runNow(): Promise<void>;
  /** Resolves when no run is under way. */
  idle(): Promise<void>;
};

/** An EventBridge rule: runs `handler` every `everyMs`, first after `everyMs`. Runs never overlap; a late one is skipped. */
export const schedule = (options: ScheduleOptions): Schedule => {
  const { everyMs, clock } = options;
  let last = Promise.resolve();
  let waiting = 0;
  let stopped = false;
  const runNow = (): Promise<void> => {
    waiting += 1;
    last = last.then(() => (stopped ? undefined : runOnce(options))).finally(() => (waiting -= 1));
    return last;
  };
  const tick = (): void => {
    cancel = clock.after(everyMs, tick);
    if (waiting === 0) void runNow();
  };
  let cancel = clock.after(everyMs, tick);
  return {
    runNow,
    idle: () => last,
    async stop() {
      stopped = true;
      cancel();
      await last;
    },
  };
};

const runOnce = async (options: ScheduleOptions): Promise<void> => {
  const { name, handler, timeoutSeconds = 60, clock, onError, newId = randomUUID } = options;
  const event: ScheduledEvent = {
    version: '0',
    id: newId(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: ACCOUNT,
    time: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
    region: REGION,
    resources: [`arn:aws:events:${REGION}:${ACCOUNT}:rule/${name}`],
    detail: {},
  };
  const context = lambdaContext({ functionName: name, timeoutSeconds, clock, newId });
  try {
    await within(clock, timeoutSeconds, () => handler(event, context));
  } catch (error) {
    onError(error, context.awsRequestId);
  }
};
