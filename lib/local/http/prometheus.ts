import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import {
  type DimensionValues,
  dimensions,
  hasDimensions,
  type MetricName,
  metrics,
} from '#shared/observability/metrics.ts';
import { workQueues } from '#shared/queue/names.ts';
import type { LocalQueues } from '../queue/queues.ts';

const PREFIX = 'sensor_cloud_';
/** Histogram buckets (s), from an immediate response to a delivery retried for a day. */
const BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 3_600, 86_400];

/** Converts to snake case: `TimeToReceiver` becomes `time_to_receiver`. */
const snakeOf = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase();

/** How a function metric is recorded, by unit. Prometheus expects seconds. */
const recorders = {
  Count: (name: MetricName, registers: Registry[]) => {
    const counter = new Counter({
      name: `${PREFIX}${snakeOf(name)}_total`,
      help: `${name}, as in CloudWatch`,
      labelNames: hasDimensions(name) ? dimensions[name] : [],
      registers,
    });
    return (value: number, of: DimensionValues = {}) => counter.inc(of, value);
  },
  Milliseconds: (name: string, registers: Registry[]) => {
    const help = `${name}, as in CloudWatch, in seconds`;
    const histogram = new Histogram({ name: `${PREFIX}${snakeOf(name)}_seconds`, help, buckets: BUCKETS, registers });
    return (value: number) => histogram.observe(value / 1_000);
  },
  Seconds: (name: string, registers: Registry[]) => {
    const gauge = new Gauge({
      name: `${PREFIX}${snakeOf(name)}_seconds`,
      help: `${name}, as in CloudWatch`,
      registers,
    });
    return (value: number) => gauge.set(value);
  },
};

/** Adds the queue metrics from the AWS dashboard. The values are read at each scrape. */
const addQueues = (queues: LocalQueues, dead: LocalQueues, now: () => number, registers: Registry[]): void => {
  const names = [...workQueues, 'quarantine'] as const;
  const gauge = (name: string, help: string, measure: (queue: (typeof names)[number]) => number) =>
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: ['queue'],
      registers,
      collect() {
        for (const queue of names) this.set({ queue }, measure(queue));
      },
    });
  gauge('queue_messages_visible', 'Messages that are ready to be received', (name) => queues[name].stats().visible);
  gauge(
    'queue_messages_dead',
    'Messages in the dead-letter queue, after every attempt failed',
    (name) => dead[name].stats().visible,
  );
  gauge('queue_oldest_seconds', 'Age of the oldest message that is not delayed', (name) => {
    const since = queues[name].waitingSince();
    return since === null ? 0 : Math.max(0, (now() - since) / 1_000);
  });
};

const addHealth = ({ isHealthy, exceptions }: Watched, registers: Registry[]): void => {
  new Gauge({
    name: `${PREFIX}healthy`,
    help: '1 while GET /health responds 200, otherwise 0',
    registers,
    async collect() {
      this.set((await isHealthy()) ? 1 : 0);
    },
  });
  new Counter({
    name: `${PREFIX}exceptions_total`,
    help: 'Uncaught exceptions',
    registers,
    collect() {
      this.reset();
      this.inc(exceptions());
    },
  });
};

type Watched = {
  /** The in-process queues. Null if they are elsewhere. */
  queues: { queues: LocalQueues; dead: LocalQueues } | null;
  isHealthy: () => Promise<boolean>;
  exceptions: () => number;
  now: () => number;
};

/**
 * Collects the AWS dashboard figures for Prometheus: function metrics, API calls, queues and process figures.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const createPrometheus = () => {
  const registry = new Registry();
  const registers = [registry];
  const names = Object.keys(metrics) as MetricName[];
  const notes = Object.fromEntries(names.map((name) => [name, recorders[metrics[name]](name, registers)]));
  const calls = new Histogram({
    name: `${PREFIX}calls_seconds`,
    help: 'Duration of API calls by status',
    buckets: BUCKETS,
    registers,
    // `door` is an old name for a request's API. It stays because users query it.
    labelNames: ['door', 'status'],
  });
  const mailFailures = new Counter({
    name: `${PREFIX}mail_server_failures_total`,
    help: 'Mails that the mail server did not accept, for a reason other than recipient or content',
    labelNames: ['reason'],
    registers,
  });
  const brokerFailures = new Counter({
    name: `${PREFIX}home_assistant_failures_total`,
    help: 'Connections to the broker of Home Assistant that failed or broke, by reason, and failed reads for it (read_failed)',
    labelNames: ['reason'],
    registers,
  });
  let hasDefaults = false;
  return {
    note: (name: MetricName, value: number, of?: DimensionValues): void => notes[name]?.(value, of),
    noteCall: (api: string, status: number, ms: number): void => calls.observe({ door: api, status }, ms / 1_000),
    noteMailFailure: (reason: string): void => mailFailures.inc({ reason }),
    noteBrokerFailure: (reason: string): void => brokerFailures.inc({ reason }),
    /** Adds a metric that shows whether the Home Assistant broker is connected. */
    watchBroker: (isConnected: () => boolean): void => {
      new Gauge({
        name: `${PREFIX}home_assistant_connected`,
        help: '1 while the broker of Home Assistant is connected, otherwise 0',
        registers,
        collect() {
          this.set(isConnected() ? 1 : 0);
        },
      });
    },
    watch: (watched: Watched): void => {
      const { queues, now } = watched;
      if (queues) addQueues(queues.queues, queues.dead, now, registers);
      addHealth(watched, registers);
    },
    /**
     * Returns all metrics as text. Process figures are collected starting with the first call, because collecting them
     * takes time.
     */
    text: (): Promise<string> => {
      if (!hasDefaults) collectDefaultMetrics({ register: registry });
      hasDefaults = true;
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
};
export type Prometheus = ReturnType<typeof createPrometheus>;
