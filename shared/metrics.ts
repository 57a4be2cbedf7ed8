/** All metrics, by their names in CloudWatch, with their units. */
export const metrics = {
  /** Messages of devices that are durable. */
  MessagesAccepted: 'Count',
  /** Events that were decided. */
  Events: 'Count',
  RuleHits: 'Count',
  /** Attempts by their result: accepted by the receiver, to be repeated, or ended without success. */
  DeliveriesDelivered: 'Count',
  DeliveriesRetried: 'Count',
  DeliveriesFailed: 'Count',
  /** From the acceptance of a message to the receiver's 2xx, and to the end of the first attempt whatever its result. */
  TimeToReceiver: 'Milliseconds',
  TimeToFirstAttempt: 'Milliseconds',
  /** For how long the oldest item that the sweep found has been due. */
  OldestWaiting: 'Seconds',
  BreakersOpened: 'Count',
  LoginsFailed: 'Count',
  /** Calls that a function answered with 429. */
  CallsLimited: 'Count',
} as const;
export type MetricName = keyof typeof metrics;

/** The dimension of all metrics. The stages of an account are told apart by the namespace. */
export const SERVICE = 'sensor-cloud';

/** Notes a value of a metric, 1 by default. Does no I/O and never fails. */
export type Measure = (name: MetricName, value?: number) => void;

/** Collects metrics. `flush` writes them at the end of an invocation, and never fails. */
export type Metrics = { measure: Measure; flush: () => Promise<void> };

/** For a host that measures nothing. */
export const unmeasured: Metrics = { measure: () => {}, flush: async () => {} };

/** Keeps the metrics of an invocation, and writes them at its end by `publish`, which may be loaded only then. */
export const buffered = (
  publish: (measured: readonly (readonly [MetricName, number])[]) => Promise<void>,
  onError: (error: unknown) => void,
): Metrics => {
  let measured: [MetricName, number][] = [];
  return {
    measure: (name, value = 1) => void measured.push([name, value]),
    flush: async () => {
      if (measured.length === 0) return;
      const all = measured;
      measured = [];
      await publish(all).catch(onError);
    },
  };
};
