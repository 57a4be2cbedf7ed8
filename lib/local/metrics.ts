import type { MetricName, Metrics } from '../../shared/metrics.ts';

/** The number of latest values that are kept per metric. */
const KEPT = 1_000;

/** Keeps measured values in memory; `valuesOf` gives the latest values of a metric, oldest first. */
export const createMetrics = () => {
  const kept = new Map<MetricName, number[]>();
  const metrics: Metrics = {
    measure: (name, value = 1) => {
      const values = kept.get(name) ?? [];
      if (values.push(value) > KEPT) values.shift();
      kept.set(name, values);
    },
    flush: async () => {},
  };
  return { metrics, valuesOf: (name: MetricName): readonly number[] => kept.get(name) ?? [] };
};
