import { IDLE_POLLERS } from '#lib/tools/aws/cost-at-rest.ts';

export { prices } from '#lib/tools/aws/prices.ts';

/**
 * Assumptions that cannot be measured on this machine. Times are the milliseconds for which an invocation is billed.
 */
export const assumed = {
  // lib/aws/functions/function.ts declares 1,024 MB, and the setting `deviceMemory` 512 MB for what takes messages of devices.
  memoryGigabytes: 1,
  deviceMemoryGigabytes: 0.5,
  /**
   * The times are made of 5 ms for each consecutive call of the table, 10 ms for a call of a queue, 100 ms for a
   * receiver, and CPU. The calls of the table and of queues are: accept 1 and 1, by each way; admit 1; a report 2 and
   * a half, five of them in one call 3; an event 8 and 1; a delivery 5; a check 3. A look is one of 100 that are read
   * at once, an entry one of 500. With 512 MB the CPU of what takes messages (5 and 7.5 ms with 1,024, and 10 for five)
   * takes twice as long.
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
  /** The number of messages in a batch: one, unless more are waiting. A FIFO queue has no batching window. */
  batch: 1,
  /**
   * Bytes of the line with the metrics of an invocation, with 26 bytes that CloudWatch adds. What takes messages writes
   * one a minute in each process (`metricsSeconds`), which is nothing. Lambda's own lines are logged only from WARN on.
   */
  logBytes: 400,
  /** Bytes of a line for tracing a decision or an attempt, with the same 26 bytes. */
  lineBytes: 530,
  /**
   * Bytes of outgoing traffic: the answer to a device with its headers, and a request to a receiver on a new
   * connection.
   */
  answerBytes: 600,
  requestBytes: 5_000,
  /** The duration of a cold start, and the share of invocations that have one. */
  coldStart: { milliseconds: 600, share: 0.01 },
  idlePollers: IDLE_POLLERS,
  queues: 5,
  /** The number of metrics that the alarms of a production stage read. */
  alarms: 37,
  /** The metrics of shared/observability/metrics.ts, and the number of calls that the throttle of devices refused. */
  metrics: 13,
  /**
   * Minutes after which AWS IoT checks again whether a connection may go on: functions/workers/authorizer/rights.ts.
   */
  admittedMinutes: 5,
  /** Processes that use the table. For each, the table requests its key once in 5 minutes. */
  processes: 20,
} as const;
