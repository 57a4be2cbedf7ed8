/** What one thing that happens consumes: of the table, of queues, of what the table keeps. */
export type Consumed = {
  read: number;
  write: number;
  /** Messages that go over the FIFO queue of events, and over the others: each is sent, received and deleted. */
  fifo: number;
  standard: number;
  /** Bytes that are in the table for 120 days, and those of deliveries, for 30; each item with the 100 that AWS adds. */
  kept120: number;
  kept30: number;
};

const nothing = { read: 0, write: 0, fifo: 0, standard: 0, kept120: 0, kept30: 0 };

/** Exact: test/units-of-falls.test.ts asserts each of them, with names as people have them. */
export const consumed = {
  /** A fall that one rule tells one webhook of, at the first try. */
  fall: { read: 10.5, write: 9, fifo: 1, standard: 1, kept120: 1_610, kept30: 1_270 },
  /** Its start, confirmation, call and end: four messages, one delivery. */
  wholeFall: { read: 34, write: 18, fifo: 4, standard: 3, kept120: 4_010, kept30: 1_270 },
  /** A report that changes nothing: 1 write in 2, at one a minute. */
  report: { ...nothing, read: 2.5, write: 1 / 2, fifo: 1 },
  /** Has a sensor been silent for too long? It was not. */
  look: { ...nothing, read: 4, write: 3, standard: 1 },
  /** A device is let in, or may stay. */
  admit: { ...nothing, read: 1 },
  /** A sweep that finds nothing. */
  sweep: { ...nothing, read: 17, write: 1 },
} as const satisfies Record<string, Consumed>;
