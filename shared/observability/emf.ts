import { Metrics } from '@aws-lambda-powertools/metrics';
import { type Measured, metrics, SERVICE } from './metrics.ts';

/**
 * Returns a function that writes measurements to the log in the CloudWatch embedded metric format, without making a
 * request. https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format.html
 */
export const emfPublisher = (namespace: string) => {
  const powertools = new Metrics({ namespace, serviceName: SERVICE });
  return (measured: readonly Measured[]): void => {
    for (const [name, value, dimensionValues] of measured) {
      powertools.addMetric(name, metrics[name], value);
      if (dimensionValues)
        powertools.singleMetric().addDimensions(dimensionValues).addMetric(name, metrics[name], value);
    }
    powertools.publishStoredMetrics();
  };
};
