import { consumed } from './consumed.ts';

/**
 * Limits of AWS in eu-central-1, collected on 2026-11-22 from stored copies of the pages that are named. Quotas that
 * can be raised have their defaults.
 */
export const limits = {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
  partitionReads: 3_000,
  partitionWrites: 1_000,
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html (of a table on demand, both ways)
  tableUnits: 40_000,
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html (high throughput, Frankfurt)
  fifoCalls: 19_000,
  // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-fifo.html (standard queues: the same)
  inFlight: 120_000,
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html (all APIs of an account together)
  accountCalls: 10_000,
  // https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (new accounts: fewer)
  lambdas: 1_000,
} as const;

/** The price of a read unit in USD; https://aws.amazon.com/dynamodb/pricing/on-demand/ as of 2026-11-21. */
export const readUnit = 0.1525 / 1e6;
export const SECONDS_OF_MONTH = 730 * 3_600;

/** The assumed load of sensors. */
export const world = {
  secondsBetweenReports: 60,
  /** The share of reports that change something, or that come while something waits: only these are queued. */
  queuedShare: 0.1,
  secondsBetweenFalls: 7 * 86_400,
  messagesOfFall: 4,
  /** All sensors of a customer fail within so many seconds, as in a power failure. */
  secondsOfBlackout: 60,
} as const;

/** The consumption of the code in units of the table, as of 2026-11-22. */
export const work = {
  /** The reads are the device (1) and the state of its sensor (1). */
  readsOfReport: 2,
  /** One that is queued also reads the sensor (0.5, eventually consistent) and its state (1) again. */
  readsOfQueued: 1.5,
  /** It is noted first (1), and its state is written (1). */
  writesOfQueued: 2,
  /**
   * Reports come each minute. The time of the last report is written when the stored one is 75 s old, which is at
   * every second report.
   */
  secondsBetweenWrites: 120,
  /**
   * At a look the stored time of the last report is up to 120 s old, and the next look is due 375 s after that
   * time: 315 s later on average, plus half a minute until the sweep runs.
   */
  secondsBetweenLooks: 345,
  /** A look reads the state of the sensor, and each sweep the entries of all active sensors: test/functions/workers/sweep/units.test.ts. */
  readsOfLook: consumed.look.read,
  readsOfEntry: consumed.entry.read,
  secondsBetweenSweeps: 60,
  /**
   * Each sweep has an open fall checked, and a sensor that looks silent. The reads are the sensor, its state, its
   * customer, and the time since which the service has been running.
   */
  checksOfFall: 5,
  readsOfCheck: consumed.check.read,
  /** A fall with all of its messages: test/units-of-falls.test.ts. */
  readsOfFall: consumed.wholeFall.read,
  writesOfFall: consumed.wholeFall.write,
  /** A sensor falls silent and comes back: its entry is removed and added. A fall leaves it where it is. */
  dueWritesOfSilence: 2,
  /** A delivery whose webhook is switched off is held, which is one write in the due index. */
  dueWritesOfHeld: 1,
  readsOfRules: 4,
  /** Ids of hits have no gaps, so each hit is written after the one before. */
  secondsOfHit: 0.005,
} as const;

/** Assumed durations (s) in AWS, which nobody has measured there. */
export const assumed = {
  accept: 0.025,
  batchOfProcess: 0.05,
  batchOfDeliver: 0.135,
  queryOfSweep: 0.015,
  /** The states of a page are read 100 at a time, side by side. */
  readOfStates: 0.02,
  /** The seconds of a minute that a sweep may use; the rest is its margin. */
  sweep: 50,
} as const;

/** The number of items that the sweep reads in one page. */
export const pages = { sweep: 500 } as const;
