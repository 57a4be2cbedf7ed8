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
  /** Tasks that a worker could not do; what waits on purpose is none, unless it does so for a minute. */
  TasksFailed: 'Count',
  /** Deliveries of rule hits that are to be attempted at once. */
  AlarmsToTell: 'Count',
  /** Hits that were to be told to whoever was on duty, and nobody was. */
  NobodyOnDuty: 'Count',
  /** Messages that were not sent because a customer's SMS of a day were used up. */
  SmsLimitReached: 'Count',
  MailsFailed: 'Count',
  /** Letters to people that a service did not take, though their address may be right. */
  LettersFailed: 'Count',
  /** Webhooks that were switched off by themselves. */
  WebhooksDisabled: 'Count',
  /** Webhooks without an address from which nobody has fetched for 10 minutes, each minute. */
  FeedsNotFetched: 'Count',
  /** First deliveries of falls that ended without success. */
  AlarmsFailed: 'Count',
  /** Deliveries of feedback to the maker that ended without success. */
  FeedbackFailed: 'Count',
  /** Confirmed subscriptions of the topic of alarms, and those of them that are no e-mail. */
  AlarmSubscriptions: 'Count',
  AlarmPagers: 'Count',
  LoginsFailed: 'Count',
  /** Devices of which so many calls waited that no more were taken. */
  DevicesHeldBack: 'Count',
  /** From the acceptance of a fall of the canary to its return by the public address. */
  CanaryTime: 'Milliseconds',
  /** Calls that a function answered with 429. */
  CallsLimited: 'Count',
} as const;
export type MetricName = keyof typeof metrics;

/** Metrics that are kept also by more than the service: each value under these, too. */
export const dimensions = { TasksFailed: ['worker', 'kind'] } as const satisfies Partial<
  Record<MetricName, readonly string[]>
>;
type Detailed = keyof typeof dimensions;
/** What a value is of, for metrics that are kept by more than the service. */
export type Of = Readonly<Record<string, string>>;
export const isDetailed = (name: MetricName): name is Detailed => name in dimensions;

/** The dimension of all metrics. The stages of an account are told apart by the namespace. */
export const SERVICE = 'sensor-cloud';

/** Notes a value of a metric, 1 by default. Does no I/O and never fails. */
export type Measure = {
  (name: Exclude<MetricName, Detailed>, value?: number): void;
  <N extends Detailed>(name: N, value: number, of: Readonly<Record<(typeof dimensions)[N][number], string>>): void;
};

/** A measured value. */
export type Measured = readonly [name: MetricName, value: number, of?: Of];

/** Collects metrics. `flush` writes them at the end of an invocation, and never fails. */
export type Metrics = { measure: Measure; flush: () => Promise<void> };

/** For a host that measures nothing. */
export const unmeasured: Metrics = { measure: () => {}, flush: async () => {} };

/** Counts that nobody waits for: several invocations write them together. */
const deferred: ReadonlySet<MetricName> = new Set<MetricName>(['MessagesAccepted']);

/**
 * Keeps the metrics of an invocation, and writes them at its end by `publish`, which may be loaded only then. What nobody
 * waits for is added up, and written with what somebody does, else once in `everyMs`; a process that ends loses as much.
 */
export const buffered = (
  publish: (measured: readonly Measured[]) => Promise<void>,
  onError: (error: unknown) => void,
  { everyMs, now }: { everyMs: number; now: () => number } = { everyMs: 0, now: () => 0 },
): Metrics => {
  let measured: Measured[] = [];
  const sums = new Map<MetricName, number>();
  let published = Number.NEGATIVE_INFINITY;
  return {
    measure: (name: MetricName, value = 1, of?: Of) => {
      if (deferred.has(name)) sums.set(name, (sums.get(name) ?? 0) + value);
      else measured.push(of ? [name, value, of] : [name, value]);
    },
    flush: async () => {
      if (measured.length === 0 && (sums.size === 0 || now() - published < everyMs)) return;
      const all = [...sums, ...measured];
      measured = [];
      sums.clear();
      published = now();
      await publish(all).catch(onError);
    },
  };
};
