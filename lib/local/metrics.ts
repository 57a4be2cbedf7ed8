import type { MetricName, Metrics } from '../../shared/metrics.ts';

/** Values that are kept of each metric: this host looks at the latest. */
const KEPT = 1_000;

/** Keeps what is measured in memory; `valuesOf` gives the latest values of a metric, in their order. */
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
