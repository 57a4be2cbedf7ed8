import { IDLE_POLLERS } from '#lib/tools/aws/cost-at-rest.ts';

export { prices } from '#lib/tools/aws/prices.ts';

/** Assumptions that cannot be measured on this machine. */
export const assumed = {
  // lib/aws/functions/function.ts declares 1,024 MB, and `deviceMemory` 512 MB for functions that accept device messages.
  memoryGigabytes: 1,
  deviceMemoryGigabytes: 0.5,
  /**
   * Billed durations: 5 ms for each sequential table call, 10 ms for a queue call, 100 ms for a receiver, plus CPU. Table and
   * queue calls: accept 1 and 1; admit 1; report 2.5; five reports in one call 3; event 8 and 1; delivery 5; check 3. States
   * are read 100 at a time (look), index entries 500 at a time (entry). The CPU time to accept messages (5 and 7.5 ms at
   * 1,024 MB, 10 for five) doubles at 512 MB.
   */
  milliseconds: {
    accept: 25,
    report: 27,
    fiveReports: 35,
    event: 60,
    deliver: 130,
    look: 0.5,
    entry: 0.1,
    check: 25,
    sweep: 200,
    admit: 10,
  },
  /** Messages per batch: one, unless more are pending. A FIFO queue has no batching window. */
  batch: 1,
  /**
   * Bytes of the metrics line of an invocation, with 26 bytes that CloudWatch adds. Functions that accept messages write only
   * one a minute (`metricsSeconds`), which is negligible. Lambda's own lines are logged only from WARN.
   */
  logBytes: 400,
  /** Bytes of the log line of a decision or an attempt, including these 26 bytes. */
  lineBytes: 530,
  /** Bytes of outgoing traffic: a response to a device with headers, and a request to a receiver on a new connection. */
  answerBytes: 600,
  requestBytes: 5_000,
  /** The duration of a cold start, and the share of invocations that have one. */
  coldStart: { milliseconds: 600, share: 0.01 },
  idlePollers: IDLE_POLLERS,
  queues: 5,
  /** The number of metrics that alarms of a production stage read. */
  alarms: 37,
  /** The metrics of shared/observability/metrics.ts, and throttled device calls. */
  metrics: 13,
  /** Minutes after which AWS IoT rechecks a connection: functions/workers/authorizer/policy.ts. */
  admittedMinutes: 5,
  /** Processes that use the table. DynamoDB requests its key once in 5 minutes for each. */
  processes: 20,
} as const;
