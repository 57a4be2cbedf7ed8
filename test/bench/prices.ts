import { IDLE_POLLERS } from '../../lib/tools/aws/cost-at-rest.ts';

export { prices } from '../../lib/tools/aws/prices.ts';

/** What no run on this machine can tell. Times are milliseconds that an invocation is billed for. */
export const assumed = {
  // functions/*/*/contract.ts and lib/aws/function.ts declare 1,024 MB.
  memoryGigabytes: 1,
  /**
   * 5 ms for each of the calls of the table that follow each other, 10 for one of a queue, 100 for a receiver, and CPU:
   * accept 1 and 1, by whichever way; admit 1; a report 2 and a third; an event 8 and 1; a delivery 5; a look 3.
   */
  milliseconds: { accept: 20, report: 15, event: 60, deliver: 130, look: 25, sweep: 200, admit: 10 },
  /** How many messages a receive brings: alone, unless more wait. A FIFO queue knows no waiting for more of them. */
  batch: 1,
  /** The line of what an invocation measured, with 26 bytes that CloudWatch adds: Lambda's own lines come at WARN alone. */
  logBytes: 400,
  /** A line of the front door's access log. */
  accessBytes: 280,
  /** What goes out: the answer to a device with its headers; a request to a receiver, on a connection of its own. */
  answerBytes: 600,
  requestBytes: 5_000,
  /** Of a cold start, and how many of the invocations are one. */
  coldStart: { milliseconds: 600, share: 0.01 },
  idlePollers: IDLE_POLLERS,
  queues: 5,
  /** Metrics that alarms of a stage in production look at. */
  alarms: 37,
  /** What shared/metrics.ts measures, and calls that the throttle of devices refused. */
  metrics: 13,
  /** Minutes after which AWS IoT asks again whether a connection may go on: functions/workers/authorizer/rights.ts. */
  admittedMinutes: 5,
  /** The table asks for its key once in 5 minutes for each process that uses it. */
  processes: 20,
} as const;
