import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Consumer, Scheduled } from '../../shared/queue/consumer.ts';
import type { Queues } from './queues.ts';

/** Feeds a consumer from its queues. A batch may fail in part, and no queue takes more of Lambda than its share. */
export const feed = (
  lambda: LambdaFunction,
  { queues: names, batchSize, concurrency }: Consumer,
  queues: Queues,
): void => {
  for (const name of names)
    new EventSourceMapping(lambda, name, {
      target: lambda,
      eventSourceArn: queues[name].queue.queueArn,
      batchSize,
      reportBatchItemFailures: true,
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
      maxConcurrency: concurrency,
    });
};

/**
 * Runs a function by the clock. A run that fails is neither repeated nor kept: the next one finds the same work, and
 * an alarm tells when none comes.
 */
export const runByClock = (lambda: LambdaFunction, { everySeconds }: Scheduled): void => {
  const every = Duration.seconds(everySeconds);
  lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: every });
  new Rule(lambda, 'clock', {
    // EventBridge counts in whole minutes. https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
    schedule: Schedule.rate(Duration.minutes(every.toMinutes())),
    targets: [new LambdaTarget(lambda, { retryAttempts: 0, maxEventAge: every })],
  });
};
