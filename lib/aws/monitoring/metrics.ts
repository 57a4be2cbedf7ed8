import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type MetricName, SERVICE } from '#shared/observability/metrics.ts';

export const period = Duration.minutes(5);
export const minute = Duration.minutes(1);
export const sum = { period, statistic: 'Sum' } as const;
export const maximum = { period, statistic: 'Maximum' } as const;

/** Returns a metric written by functions in this stack (shared/observability/metrics.ts). */
export const ownMetric = (scope: Construct, metricName: MetricName, statistic = 'Sum'): Metric =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName,
    dimensionsMap: { service: SERVICE },
    statistic,
    period,
  });

/**
 * Returns the sum of a metric over one minute. An alarm sends a notification when it starts, not while it lasts. It
 * lasts as long as CloudWatch finds a value above the threshold in the most recent periods. With short periods, it ends
 * before the next incident.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export const arrivals = (scope: Construct, metricName: MetricName): Metric =>
  ownMetric(scope, metricName).with({ period: minute });

/**
 * Returns the number of queues that grew within a minute. SQS does not count messages as sent when it moves them to a
 * dead-letter queue.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
 */
export const growing = (queues: readonly IQueue[]): MathExpression =>
  new MathExpression({
    expression: `SUM([${queues.map((_, at) => `IF(DIFF(FILL(m${at}, 0)) > 0, 1, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(
      queues.map((queue, at) => [
        `m${at}`,
        queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minute }),
      ]),
    ),
    period: minute,
  });

/**
 * Returns the sum of the metrics. A metric without data counts as 0. An alarm can use at most 10 metrics.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html
 */
export const total = (metrics: readonly IMetric[]): MathExpression => {
  const names = metrics.map((_, at) => `m${at}`);
  return new MathExpression({
    expression: `SUM([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    period,
  });
};
