import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Alias, EventSourceMapping, type IFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Consumer, Scheduled } from '#shared/queue/consumer.ts';
import { isFifo } from '#shared/queue/names.ts';
import type { Stage } from '../settings/settings.ts';
import { maxConcurrencyPerQueue } from './concurrency.ts';
import { type Queues, queueArnOf } from './queues.ts';

/**
 * The largest batch for a FIFO queue, which has no batching window.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
 */
const MAX_FIFO_BATCH = 10;

/**
 * Connects a consumer to its queues. Batches can fail partially, invocations do not wait for a full batch, and each
 * queue uses at most an equal share of the concurrency.
 */
export const addEventSources = (
  target: IFunction,
  consumer: Consumer,
  queues: Queues,
  { concurrency }: Stage,
): void => {
  // The mapping is the same with and without an alias, so that a deployment that adds or removes the alias never leaves
  // a queue with two mappings, or none.
  const scope = target instanceof Alias ? target.lambda : target;
  const { batchSize } = consumer;
  for (const queue of consumer.queues) {
    if (isFifo(queue) && batchSize > MAX_FIFO_BATCH)
      throw new Error(
        `${consumer.name} has a batch size of ${batchSize}, but the FIFO queue ${queue} allows ${MAX_FIFO_BATCH} at most`,
      );
    new EventSourceMapping(scope, queue, {
      target,
      eventSourceArn: queueArnOf(queues, queue),
      batchSize,
      reportBatchItemFailures: true,
      maxConcurrency: maxConcurrencyPerQueue(consumer, concurrency),
    });
  }
};

/**
 * The highest `maxEventAge` (s) Lambda accepts.
 * https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html
 */
const MAX_EVENT_AGE_SECONDS = 21_600;

/**
 * Runs a function on a schedule. A failed run is neither retried nor kept: the next run picks up the same work, and an
 * alarm fires if runs stop.
 */
export const addSchedule = (lambda: LambdaFunction, { everySeconds }: Scheduled): void => {
  const every = Duration.seconds(everySeconds);
  const maxEventAge = Duration.seconds(Math.min(everySeconds, MAX_EVENT_AGE_SECONDS));
  lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
  new Rule(lambda, 'clock', {
    // EventBridge schedules in whole minutes.
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
    schedule: Schedule.rate(Duration.minutes(every.toMinutes())),
    targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge })],
  });
};
