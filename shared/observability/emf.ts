import { Metrics } from '@aws-lambda-powertools/metrics';
import { type Measured, metrics, SERVICE } from './metrics.ts';

/**
 * Writes measurements to the log in CloudWatch's embedded metric format, which makes metrics of them. No call is made.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format.html
 */
export const publisherIn = (namespace: string) => {
  const powertools = new Metrics({ namespace, serviceName: SERVICE });
  return (measured: readonly Measured[]): void => {
    for (const [name, value, of] of measured) {
      powertools.addMetric(name, metrics[name], value);
      if (of) powertools.singleMetric().addDimensions(of).addMetric(name, metrics[name], value);
    }
    powertools.publishStoredMetrics();
  };
};
