/** All metrics, by CloudWatch name, with their units. */
export const metrics = {
  /** Device messages accepted durably. */
  MessagesAccepted: 'Count',
  /** Events decided. */
  Events: 'Count',
  RuleHits: 'Count',
  /** Attempts by result: accepted by the receiver, to be retried, or failed permanently. */
  DeliveriesDelivered: 'Count',
  DeliveriesRetried: 'Count',
  DeliveriesFailed: 'Count',
  /**
   * The time from accepting a message to the 2xx response from the receiver, and to the end of the first attempt,
   * whatever the result. Canary falls have `CanaryTime`.
   */
  TimeToReceiver: 'Milliseconds',
  TimeToFirstAttempt: 'Milliseconds',
  /** First attempts that ended more than FIRST_ATTEMPT_SECONDS after the message was accepted. */
  AttemptsLate: 'Count',
  /** How overdue the oldest item found by the sweep was. */
  OldestWaiting: 'Seconds',
  /** Items that the sweep found for the first time to be more than OVERDUE_MINUTES overdue. */
  TasksOverdue: 'Count',
  BreakersOpened: 'Count',
  /**
   * Tasks returned by a worker to their queue. Each task counts once per process, however often it fails again. Tasks
   * postponed on purpose count only after a minute.
   */
  TasksFailed: 'Count',
  /** Rule hit deliveries due at once, except canary deliveries. */
  AlarmsToTell: 'Count',
  /** Hits that should have notified the users on duty at a time when no one was on duty. */
  NobodyOnDuty: 'Count',
  /** Customers whose SMS were not sent because a daily limit was reached. Each counts at most once a day. */
  SmsLimitReached: 'Count',
  /** Notifications accepted by a messaging service and later reported as undeliverable. */
  Undeliverable: 'Count',
  MailsFailed: 'Count',
  /** Notifications to people that a service rejected, although the address may be valid. */
  LettersFailed: 'Count',
  /** Webhooks disabled automatically. */
  WebhooksDisabled: 'Count',
  /** Webhooks without an address whose deliveries have not been fetched for 10 minutes. Each counts once. */
  FeedsNotFetched: 'Count',
  /** First fall deliveries that failed permanently. */
  AlarmsFailed: 'Count',
  /**
   * Alarms that no one was notified of in time, and events with such an alarm for which no due delivery was attempted.
   */
  AlarmsUnnotified: 'Count',
  AlarmsUntold: 'Count',
  /** Alarms not acknowledged after the last escalation round. */
  AlarmsUnanswered: 'Count',
  /** Feedback deliveries to the maker that failed permanently. */
  FeedbackFailed: 'Count',
  /** Confirmed subscriptions to the alarm topic, and those among them whose protocol is not email. */
  AlarmSubscriptions: 'Count',
  AlarmPagers: 'Count',
  LoginsFailed: 'Count',
  /** Devices whose calls are rejected because too many are pending. */
  DevicesHeldBack: 'Count',
  /**
   * Sensors most of whose messages are no longer understood. Each counts once until its messages are understood again.
   */
  SensorsNotUnderstood: 'Count',
  /** The time from accepting a canary fall to the webhook call at the public address. */
  CanaryTime: 'Milliseconds',
  /** Requests rejected with 429. */
  CallsLimited: 'Count',
} as const;
export type MetricName = keyof typeof metrics;

/** The metrics that no alarm reads. A stage without a dashboard does not write them, because each one costs money. */
export const onlyShown: ReadonlySet<MetricName> = new Set<MetricName>([
  'Events',
  'RuleHits',
  'AlarmsToTell',
  'DeliveriesDelivered',
  'DeliveriesRetried',
  'DeliveriesFailed',
  'TimeToReceiver',
  'TimeToFirstAttempt',
  'OldestWaiting',
  'AlarmPagers',
  'CallsLimited',
]);

/**
 * The maximum time (s) from accepting a message to the end of the first attempt. If it ends later, the attempt is late.
 */
export const FIRST_ATTEMPT_SECONDS = 30;
/** The delay (minutes) after which a due task counts as overdue. */
export const OVERDUE_MINUTES = 15;

/** Metrics with additional dimensions: each value is also recorded under these. */
export const dimensions = { TasksFailed: ['worker', 'kind'] } as const satisfies Partial<
  Record<MetricName, readonly string[]>
>;
type Detailed = keyof typeof dimensions;
/** The values for additional dimensions. */
export type DimensionValues = Readonly<Record<string, string>>;
export const hasDimensions = (name: MetricName): name is Detailed => name in dimensions;

/** The dimension for all metrics. Stages in the same account have different namespaces. */
export const SERVICE = 'sensor-cloud';

/** Records a value for a metric, 1 by default. Does no I/O and never fails. */
export type Measure = {
  (name: Exclude<MetricName, Detailed>, value?: number): void;
  <N extends Detailed>(name: N, value: number, of: Readonly<Record<(typeof dimensions)[N][number], string>>): void;
};

/** A measured value. */
export type Measured = readonly [name: MetricName, value: number, of?: DimensionValues];

/** Collects metrics. `flush` writes them at the end of an invocation, and never fails. */
export type Metrics = { measure: Measure; flush: () => Promise<void> };

/** The metrics for a host that measures nothing. */
export const noMetrics: Metrics = { measure: () => {}, flush: async () => {} };

/** Counts that may be written late, so that several invocations can write them together. */
const deferred: ReadonlySet<MetricName> = new Set<MetricName>(['MessagesAccepted']);

/** `leftOut`: the metrics not to write. */
type BufferOptions = { everyMs: number; now: () => number; leftOut?: ReadonlySet<MetricName> };

/**
 * Collects the metrics for an invocation and writes them at the end through `publish`. Deferred counts are added up and
 * written with other metrics, or once every `everyMs`. If the process dies, unwritten counts are lost.
 */
export const bufferMetrics = (
  publish: (measured: readonly Measured[]) => Promise<void>,
  onError: (error: unknown) => void,
  { everyMs, now, leftOut = new Set() }: BufferOptions = { everyMs: 0, now: () => 0 },
): Metrics => {
  let measured: Measured[] = [];
  const sums = new Map<MetricName, number>();
  let published = Number.NEGATIVE_INFINITY;
  return {
    measure: (name: MetricName, value = 1, of?: DimensionValues) => {
      if (leftOut.has(name)) return;
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
