/** What is measured, under the names that CloudWatch shows, and in which unit. */
export const metrics = {
  /** Messages of devices that are durable. */
  MessagesAccepted: 'Count',
  /** What happened, as it was decided. */
  Events: 'Count',
  RuleHits: 'Count',
  /** Attempts by what came of them: the receiver took it, it comes again, it has ended. */
  DeliveriesDelivered: 'Count',
  DeliveriesRetried: 'Count',
  DeliveriesFailed: 'Count',
  /** From the acceptance of a message to the receiver's 2xx, and to the end of the first attempt, whatever it said. */
  TimeToReceiver: 'Milliseconds',
  TimeToFirstAttempt: 'Milliseconds',
  /** How long the oldest item has been due that the sweep found. */
  OldestWaiting: 'Seconds',
  BreakersOpened: 'Count',
  LoginsFailed: 'Count',
  /** Calls that were answered 429 by a function. */
  CallsLimited: 'Count',
} as const;
export type MetricName = keyof typeof metrics;

/** The dimension that all of them have. The namespace tells the stages of an account apart. */
export const SERVICE = 'sensor-cloud';

/** Notes a value, 1 unless told otherwise. Does no I/O, and never fails. */
export type Measure = (name: MetricName, value?: number) => void;

/** Where measurements go. `flush`: an invocation ends, and what it measured may leave; never fails. */
export type Metrics = { measure: Measure; flush: () => Promise<void> };

/** For a host that measures nothing. */
export const unmeasured: Metrics = { measure: () => {}, flush: async () => {} };

/** Keeps what an invocation measures, and writes it at its end by `publish`, which may be loaded only then. */
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
