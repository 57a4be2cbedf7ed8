import { SWEEP } from '#lib/tools/aws/cost-at-rest.ts';

/** What one operation consumes: units of the table, messages of queues, and storage. */
export type Consumed = {
  read: number;
  write: number;
  /**
   * Messages of the FIFO queue of events (`fifo`) and of the other queues (`standard`). Each is sent, received and
   * deleted.
   */
  fifo: number;
  standard: number;
  /**
   * Bytes in the table that are stored for 120 days, and those of deliveries, which are stored for 30 days. Each item
   * includes the 100 bytes that AWS adds.
   */
  kept120: number;
  kept30: number;
};

const nothing = { read: 0, write: 0, fifo: 0, standard: 0, kept120: 0, kept30: 0 };

/**
 * The exact consumption. test/units-of-falls.test.ts asserts it with names of realistic lengths, and
 * test/functions/workers/sweep/units.test.ts that of sweeps.
 */
export const consumed = {
  /** The only open fall of its sensor, for which one rule tells one webhook, with one attempt. */
  fall: { read: 10.5, write: 10, fifo: 1, standard: 1, kept120: 1_685, kept30: 1_270 },
  /** A fall with its four messages (start, confirmation, call and end), and one delivery. */
  wholeFall: { read: 34, write: 20, fifo: 4, standard: 3, kept120: 4_090, kept30: 1_270 },
  /** A report that changes nothing, and needs no queue. At one report a minute, every second one causes a write. */
  report: { ...nothing, read: 2, write: 1 / 2 },
  /** Five such reports in one call, at one call in five minutes. */
  fiveReports: { ...nothing, read: 2, write: 1 },
  /** A look of the sweep at the state of an active sensor, which says until when nothing can happen by time alone. */
  look: { ...nothing, read: 1 / 2 },
  /** The entry of an active sensor in the due index, which each sweep reads with many others: 90 bytes of 8 KB. */
  entry: { ...nothing, read: 90 / 8_192 },
  /** A check of a sensor that looks silent or has an open fall, where nothing has happened by time. */
  check: { ...nothing, read: 4, standard: 1 },
  /** A device connects, or its connection is checked again. */
  admit: { ...nothing, read: 1 },
  /** A sweep that finds nothing. */
  sweep: { ...nothing, ...SWEEP },
} as const satisfies Record<string, Consumed>;
