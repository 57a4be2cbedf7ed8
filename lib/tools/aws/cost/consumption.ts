/** What one operation consumes: table units, queue messages and storage. */
export type Consumption = {
  read: number;
  write: number;
  /** Messages in the FIFO event queue, and in the standard queues. Each is sent, received and deleted. */
  fifo: number;
  standard: number;
  /** Bytes stored in the table for 120 days, and for 30 days (deliveries), with the 100 bytes AWS adds per item. */
  kept120: number;
  kept30: number;
};

const nothing = { read: 0, write: 0, fifo: 0, standard: 0, kept120: 0, kept30: 0 };

/**
 * The exact consumption, as asserted by test/units-of-falls.test.ts (with names of realistic lengths), for sweeps by
 * test/functions/workers/sweep/units.test.ts, and for the canary by test/journeys/canary.test.ts.
 */
export const consumption = {
  /** A fall on a sensor without other open falls, with one rule, one webhook and one attempt. */
  fall: { read: 10.5, write: 10, fifo: 1, standard: 1, kept120: 1_727, kept30: 1_270 },
  /** A fall with four messages (start, confirmation, call and end), and one delivery. */
  wholeFall: { read: 34, write: 20, fifo: 4, standard: 3, kept120: 4_186, kept30: 1_270 },
  /** The check, two minutes after an alarm, that someone was notified. */
  alarmCheck: { ...nothing, read: 1, standard: 1 },
  /** A report without changes, which needs no queue. At one report a minute, every other report causes a write. */
  report: { ...nothing, read: 2, write: 1 / 2 },
  /** A report in which presence has changed, so `process` judges it. */
  changedReport: { ...nothing, read: 8, write: 4, fifo: 1 },
  /** The next report, which is queued even if it changes nothing. */
  followingReport: { ...nothing, read: 3.5, write: 2, fifo: 1 },
  /** Three unchanged reports in one request, every three minutes. */
  threeReports: { ...nothing, read: 2, write: 1 },
  /** The sweep reads an active sensor's state, which shows when something is next due. */
  look: { ...nothing, read: 1 / 2 },
  /**
   * An active sensor's entry in the `due` index, which each sweep reads together with many other entries: 90 bytes out
   * of 8 KB.
   */
  entry: { ...nothing, read: 90 / 8_192 },
  /** A check that finds nothing, on a sensor that may be offline or one with an open fall. */
  check: { ...nothing, read: 4, standard: 1 },
  /** A device connects, or the connection is checked again. */
  admit: { ...nothing, read: 1 },
  /** A sweep with nothing to do. */
  sweep: { ...nothing, read: 17, write: 1 },
  /** A canary round, whose fall is delivered back to the canary. */
  canary: { ...nothing, read: 30, write: 24, fifo: 14 / 3 },
  /** A request from an open console when nothing is new. */
  screenCall: { ...nothing, read: 2.5 },
} as const satisfies Record<string, Consumption>;
