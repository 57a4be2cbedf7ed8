import { Duration, Stack } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, SERVICE } from '#shared/observability/metrics.ts';

export const period = Duration.minutes(5);
export const sum = { period, statistic: 'Sum' } as const;
export const maximum = { period, statistic: 'Maximum' } as const;

/** Returns a metric that the functions of this stack write (shared/observability/metrics.ts). */
export const ownMetric = (scope: Construct, metricName: MetricName, statistic = 'Sum'): Metric =>
  new Metric({
    namespace: Stack.of(scope).stackName,
    metricName,
    dimensionsMap: { service: SERVICE },
    statistic,
    period,
  });

/**
 * Returns the sum of metrics. One without data counts as 0. An alarm can use at most 10 metrics.
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
