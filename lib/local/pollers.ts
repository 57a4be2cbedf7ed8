import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Context, ScheduledEvent, SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import type { Clock } from './clock.ts';
import { createGroupLimits } from './group-limits.ts';
import type { Message, MessageSource } from './queue.ts';

const REGION = 'eu-central-1';
const ACCOUNT = '000000000000';

/** An SQSBatchResponse. A missing answer means that all messages were processed. */
type Answer = Awaited<ReturnType<SQSHandler>>;

export type PollOptions = {
  queue: MessageSource;
  functionName: string;
  handler: (event: SQSEvent, context: Context) => Promise<Answer>;
  /** The number of messages per invocation. */
  batchSize: number;
  /** The number of concurrent invocations. */
  concurrency: number;
  /**
   * The number of messages of one customer, and of one group, that are processed at a time. With it each message gets
   * an invocation of its own, so that a slow message of one customer doesn't delay those of others.
   */
  ofCustomer?: number;
  ofGroup?: number;
  /** An invocation that takes longer counts as failed, and its later answer is ignored. */
  timeoutSeconds: number;
  /** ReportBatchItemFailures is the only mode that exists here. */
  reportFailures: true;
  clock: Clock;
  /** Is called for each invocation that failed as a whole, with its request id. It must not throw. */
  onError: (error: unknown, invocationId: string) => void;
  newId?: () => string;
};

export type Poller = {
  /** Starts no new invocation; resolves when the running ones have ended. */
  stop(): Promise<void>;
  /** Resolves when the queue has no message to receive, and no invocation is running. */
  idle(): Promise<void>;
};

/**
 * An event source mapping: invokes `handler` with batches from `queue` for as long as there are any. Messages that
 * the answer names stay and become visible again after the visibility timeout; all other messages of the batch are
 * removed. A throw, a timeout or a malformed answer keeps the whole batch. The handler of a FIFO queue is responsible
 * for the order in a group: after a failure it must name all later messages of the group, because those that it
 * doesn't name are removed.
 */
export const poll = (options: PollOptions): Poller => {
  const { queue, batchSize, ofCustomer = Number.POSITIVE_INFINITY, ofGroup = ofCustomer } = options;
  // With one message per invocation, the concurrency is multiplied by the batch size, so that as many messages are
  // processed as in batches.
  const isAlone = options.ofCustomer !== undefined;
  const concurrency = options.concurrency * (isAlone ? batchSize : 1);
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const groups = createGroupLimits(ofCustomer, ofGroup);

  const start = (messages: Message[]): void => {
    const leave = groups.enter(messages);
    const run = invokeWith(messages, options).finally(() => {
      leave();
      running.delete(run);
    });
    running.add(run);
  };
  /** Waits until a message can be received, or until an invocation ends, which may make room for other messages. */
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

/**
 * Limits the time of an invocation as Lambda does, except that the code can't be killed: it continues, but its result
 * is ignored.
 */
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

/** Creates the context of an invocation that starts now. The remaining time comes from `clock` and is never below 0. */
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
  /** The timeout of a run, 60 s by default. */
  timeoutSeconds?: number;
  clock: Clock;
  /** Is called for each run that failed, with its request id. It must not throw. */
  onError: (error: unknown, invocationId: string) => void;
  newId?: () => string;
};

export type Schedule = {
  /** Starts no new run; resolves when the running one has ended. */
  stop(): Promise<void>;
  /** Runs once, after the current run if there is one. Resolves when it ended, even if it failed. */
  runNow(): Promise<void>;
  /** Resolves when no run is in progress. */
  idle(): Promise<void>;
};

/**
 * An EventBridge rule: runs `handler` every `everyMs`, first after `everyMs`. Runs never overlap; a late one is
 * skipped.
 */
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
