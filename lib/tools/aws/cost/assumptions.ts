import type { MetricName } from '#shared/observability/metrics.ts';

/** Assumptions behind the cost and growth figures, where they depend on the home or cannot be measured without AWS. */
export const assumed = {
  // lib/aws/functions/function.ts declares 1,024 MB, and `deviceMemory` 512 MB for functions that accept device
  // messages.
  memoryGigabytes: 1,
  deviceMemoryGigabytes: 0.5,
  /**
   * Billed durations: 5 ms for each sequential table call, 10 ms for a queue call, 100 ms for a receiver, plus CPU.
   * Table and queue calls: accept 1 and 1; admit 1; report 2.5; three reports in one call 3; event 8 and 1; delivery 5;
   * check 3; screen 2. States are read 100 at a time (look), index entries 500 at a time (entry). The CPU time for
   * accepting messages (5 and 7.5 ms at 1,024 MB, 9 for three) and responding to a screen (7.5) doubles at 512 MB.
   */
  milliseconds: {
    accept: 25,
    report: 27,
    threeReports: 33,
    event: 60,
    deliver: 130,
    look: 0.5,
    entry: 0.1,
    check: 25,
    sweep: 200,
    admit: 10,
    screen: 25,
    /** All functions in one canary round. */
    canary: 3_000,
  },
  /** A `process` batch of ten messages, whose work overlaps only partially. */
  batchOfTenMilliseconds: 150,
  /** The sweep and the screen function have half the memory of other functions. */
  sweepGigabytes: 0.5,
  screenGigabytes: 0.5,
  /** Messages per batch: one, unless more are pending. A FIFO queue has no batching window. */
  batch: 1,
  /**
   * The bytes in an invocation's metrics line, with 26 bytes added by CloudWatch. Functions that accept messages write
   * only one line a minute (`metricsSeconds`), which is negligible. Lambda's own lines are logged only from WARN.
   */
  logBytes: 400,
  /** The bytes in an app API access log line. Requests write no metrics. */
  accessLineBytes: 260,
  /** The bytes in a decision or attempt log line, including the 26 bytes added by CloudWatch. */
  lineBytes: 530,
  /**
   * Outgoing bytes: a response to a device or a 304 response to a screen, with headers, and a request to a receiver on
   * a new connection.
   */
  answerBytes: 600,
  requestBytes: 5_000,
  /** How long a cold start takes, and the share of invocations with one. */
  coldStart: { milliseconds: 600, share: 0.01 },
  /**
   * The number of pollers for an empty queue. Each poll takes 20 s.
   * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  idlePollers: 5,
  pollSeconds: 20,
  /**
   * The new connections per second covered by one load balancer capacity unit. Each device request opens a connection,
   * which needs more capacity than the request's bytes, open connections and rules.
   */
  connectionsPerUnit: 25,
  /**
   * The metrics that a stage with a canary writes in an hour that includes reports and a fall. CloudWatch bills a
   * metric for each hour in which it is sent. Other metrics are sent only when something fails, or once a day.
   */
  hourlyMetrics: [
    'MessagesAccepted',
    'Events',
    'RuleHits',
    'AlarmsToTell',
    'DeliveriesDelivered',
    'TimeToReceiver',
    'TimeToFirstAttempt',
    'OldestWaiting',
    'CanaryTime',
  ] satisfies MetricName[],
  /** A sensor sends a report a minute and detects a fall a week. */
  reportSeconds: 60,
  fallDays: 7,
  /**
   * The share of reports in which presence differs from the previous report. People come or go 43 times a day. Each
   * change queues two reports.
   */
  changedReports: 0.03,
  /** Each sweep checks an open fall, which ends after a few minutes. */
  checksPerFall: 5,
  /** Polling intervals (s) for an open console: while its alarms can be seen or heard, and otherwise. */
  screenSeconds: { watching: 5, hidden: 60 },
  /** Minutes after which AWS IoT rechecks a connection: functions/workers/authorizer/policy.ts. */
  admittedMinutes: 5,
  /**
   * The number of roles that use the table constantly. DynamoDB requests the table's key every 5 minutes for each role.
   */
  roles: 12,
  keyMinutes: 5,
  /** Invocations and calls in a canary round. */
  canary: { invocations: 8, calls: 3 },
} as const;
