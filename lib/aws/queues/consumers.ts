import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { Alias, EventSourceMapping, type IFunction, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Consumer, Scheduled } from '#shared/queue/consumer.ts';
import { isFifo } from '#shared/queue/names.ts';
import type { Stage } from '../settings/settings.ts';
import { shareOfQueue } from './concurrency.ts';
import { type Queues, queueArnOf } from './queues.ts';

/**
 * The largest batch of a FIFO queue; a FIFO queue has no batching window.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
 */
const BATCH_OF_FIFO = 10;

/**
 * Connects a consumer to its queues. A batch may fail in part, an invocation does not wait until its batch is full,
 * and no queue takes more concurrency than its share.
 */
export const addEventSources = (
  target: IFunction,
  consumer: Consumer,
  queues: Queues,
  { concurrency }: Stage,
): void => {
  const { name: reader, queues: names, batchSize } = consumer;
  // With an alias or without one it is the same mapping, so a queue never has two, nor none.
  const scope = target instanceof Alias ? target.lambda : target;
  for (const name of names) {
    if (isFifo(name) && batchSize > BATCH_OF_FIFO)
      throw new Error(`${reader} takes ${batchSize} messages at a time, but ${name} is FIFO: ${BATCH_OF_FIFO} at most`);
    new EventSourceMapping(scope, name, {
      target,
      eventSourceArn: queueArnOf(queues, name),
      batchSize,
      reportBatchItemFailures: true,
      maxConcurrency: shareOfQueue(consumer, concurrency),
    });
  }
};

/** The greatest age of an event that waits for its function, s. https://docs.aws.amazon.com/lambda/latest/api/API_PutFunctionEventInvokeConfig.html */
const OLDEST = 21_600;

/**
 * Runs a function on a schedule. A failed run is neither retried nor kept: the next run finds the same work, and an
 * alarm fires when no run comes.
 */
export const addSchedule = (lambda: LambdaFunction, { everySeconds }: Scheduled): void => {
  const every = Duration.seconds(everySeconds);
  const maxEventAge = Duration.seconds(Math.min(everySeconds, OLDEST));
  lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge });
  new Rule(lambda, 'clock', {
    // EventBridge schedules in whole minutes.
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
    schedule: Schedule.rate(Duration.minutes(every.toMinutes())),
    targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge })],
  });
};
