import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Context, SQSEvent, SQSHandler, SQSRecord } from 'aws-lambda';
import { customerOfGroup } from '#shared/queue/encode.ts';
import type { Clock } from '../clock.ts';
import { ACCOUNT, lambdaContext, REGION, within } from '../lambda/invocation.ts';
import type { Message } from '../message.ts';
import type { MessageSource } from '../queue/queue.ts';

/** An SQSBatchResponse. No response means all messages were processed. */
type BatchResult = Awaited<ReturnType<SQSHandler>>;

export type PollOptions = {
  queue: MessageSource;
  functionName: string;
  handler: (event: SQSEvent, context: Context) => Promise<BatchResult>;
  /** The number of messages per invocation. */
  batchSize: number;
  /** The number of concurrent invocations. */
  concurrency: number;
  /**
   * How many messages per customer, and per group, are processed at once. If set, each message gets a separate
   * invocation, so a slow message does not delay other customers.
   */
  ofCustomer?: number;
  ofGroup?: number;
  /** A longer invocation counts as failed, and its result is ignored. */
  timeoutSeconds: number;
  /** ReportBatchItemFailures is the only supported mode. */
  reportFailures: true;
  clock: Clock;
  /** Called with the request id when an invocation fails as a whole. Must not throw. */
  onError: (error: unknown, invocationId: string) => void;
  newId?: () => string;
};

type Poller = {
  /** Prevents further invocations. Resolves when the running invocations have ended. */
  stop(): Promise<void>;
  /** Resolves when the queue has no message to receive and no invocation is running. */
  idle(): Promise<void>;
};

/** Limits how many messages per customer and per group are processed at once. */
const createGroupLimits = (maxOfCustomer: number, maxOfGroup: number) => {
  const counts = new Map<string, number>();
  const countOf = (name: string): number => counts.get(name) ?? 0;
  const add = (messages: readonly Message[], by: 1 | -1): void => {
    for (const { attributes } of messages) {
      const group = attributes.MessageGroupId;
      if (group === undefined) continue;
      for (const name of new Set([group, customerOfGroup(group)])) {
        const count = countOf(name) + by;
        if (count === 0) counts.delete(name);
        else counts.set(name, count);
      }
    }
  };
  return {
    isFull: (group: string): boolean =>
      countOf(group) >= maxOfGroup || countOf(customerOfGroup(group)) >= maxOfCustomer,
    enter: (messages: readonly Message[]) => {
      add(messages, 1);
      return () => add(messages, -1);
    },
  };
};

/**
 * Runs an event source mapping: invokes `handler` with batches from `queue`. Messages reported as failed in the
 * response stay in the queue and become visible again after the visibility timeout. All others are removed. After an
 * exception, a timeout or a malformed response, the whole batch stays. A FIFO queue handler is responsible for the
 * order within a group: after a failure, it must also report all later messages in the group, or they are removed.
 */
export const poll = (options: PollOptions): Poller => {
  const { queue, batchSize, ofCustomer = Number.POSITIVE_INFINITY, ofGroup = ofCustomer } = options;
  // With one message per invocation, the concurrency is multiplied by the batch size, so the same number of messages is
  // processed at once.
  const isUnbatched = options.ofCustomer !== undefined;
  const concurrency = options.concurrency * (isUnbatched ? batchSize : 1);
  let isStopping = false;
  let resting: AbortController | undefined;
  const running = new Set<Promise<void>>();
  /**
   * Resolves when the next invocation ends. Racing all running invocations would add another callback to each of them
   * every time.
   */
  let ended = Promise.withResolvers<void>();
  const groups = createGroupLimits(ofCustomer, ofGroup);

  const start = (messages: Message[]): void => {
    const leave = groups.enter(messages);
    const run = invokeWith(messages, options).finally(() => {
      leave();
      running.delete(run);
      ended.resolve();
      ended = Promise.withResolvers();
    });
    running.add(run);
  };
  /** Waits until a message can be received, or until an invocation ends, which may unblock a group. */
  const rest = async (): Promise<void> => {
    resting = new AbortController();
    await Promise.race([ended.promise, queue.waitForMessage(resting.signal)]);
    // Without a reason, `abort` would create an error with a stack trace each time.
    resting.abort('awake');
  };
  const loop = async (): Promise<void> => {
    while (!isStopping) {
      const free = concurrency - running.size;
      const messages = free > 0 ? queue.receive(isUnbatched ? 1 : batchSize, groups.isFull) : [];
      if (messages.length > 0) start(messages);
      else if (free <= 0) await ended.promise;
      else await rest();
    }
  };
  const looping = loop();
  const hasMore = () => {
    const { visible, blocked = 0 } = queue.stats();
    return visible > blocked;
  };
  const busy = () => running.size > 0 || (!isStopping && hasMore());

  return {
    async stop() {
      isStopping = true;
      resting?.abort('stopping');
      await Promise.all([looping, ...running]);
    },
    async idle() {
      while (busy()) {
        if (running.size > 0) await ended.promise;
        else await setImmediate();
      }
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
const failedIds = (answer: BatchResult, messages: Message[]): Set<string> => {
  const failed = (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  const unknown = failed.filter((id) => !messages.some(({ messageId }) => messageId === id));
  if (unknown.length > 0)
    throw new Error(`the response names messages that are not in the batch: ${unknown.join(', ')}`);
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
