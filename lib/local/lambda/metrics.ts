import type { DimensionValues, MetricName, Metrics } from '#shared/observability/metrics.ts';
import { createPrometheus } from '../http/prometheus.ts';

/** How many of the latest values are kept for each metric. */
const KEPT = 1_000;

/** Keeps metrics in memory. `valuesOf` returns a metric's latest values, oldest first. */
export const createMetrics = () => {
  const kept = new Map<MetricName, number[]>();
  const prometheus = createPrometheus();
  const metrics: Metrics = {
    measure: (name: MetricName, value = 1, of?: DimensionValues) => {
      const values = kept.get(name) ?? [];
      if (values.push(value) > KEPT) values.shift();
      kept.set(name, values);
      prometheus.note(name, value, of);
    },
    flush: async () => {},
  };
  return { metrics, prometheus, valuesOf: (name: MetricName): readonly number[] => kept.get(name) ?? [] };
};
