/**
 * Limits of AWS in eu-central-1, collected on 2026-11-22 from stored copies of the pages named; what can be raised is at
 * its default.
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

/** USD; https://aws.amazon.com/dynamodb/pricing/on-demand/ as of 2026-11-21. */
export const readUnit = 0.1525 / 1e6;
export const SECONDS_OF_MONTH = 730 * 3_600;

/** What sensors do. */
export const world = {
  secondsBetweenReports: 60,
  secondsBetweenFalls: 7 * 86_400,
  messagesOfFall: 4,
  /** Everything of a customer fails together, as after a power cut, within so many seconds. */
  secondsOfBlackout: 60,
} as const;

/** What our code does, in units of the table, as it reads on 2026-11-22. */
export const work = {
  /** Who is it (1), the sensor (0.5, some seconds old perhaps) and its state (1). */
  readsOfReport: 2.5,
  /** Reports come each minute, and what was last seen is written when it is 75 s old: with every second. */
  secondsBetweenWrites: 120,
  /**
   * What was last seen is up to 120 s old at a look, and the next look is 375 s behind it: 315 s on average, and half a
   * minute until the sweep comes.
   */
  secondsBetweenLooks: 345,
  /** Sensor, state and customer, and since when the service has been there. */
  readsOfLook: 4,
  /** The state, and its place in the due index: away from the one, into the other. */
  writesOfLook: 3,
  dueWritesOfLook: 2,
  /** A whole fall: test/units-of-falls.test.ts. */
  readsOfFall: 34,
  writesOfFall: 18,
  /** Its alarm is to be looked at sooner than its silence, and then its silence again. */
  dueWritesOfFall: 4,
  /** What a delivery does in the due index when its webhook is switched off: it is parked there. */
  dueWritesOfHeld: 1,
  readsOfRules: 4,
  /** Ids of hits follow each other without a gap: each is written after the one before. */
  secondsOfHit: 0.005,
} as const;

/** Assumed, for nobody has measured it there: how long something takes, s. */
export const assumed = {
  accept: 0.025,
  batchOfProcess: 0.05,
  batchOfDeliver: 0.135,
  queryOfSweep: 0.015,
  sendOfBatch: 0.01,
  /** Of the minute of a sweep; the rest is its margin. */
  sweep: 50,
} as const;

/** The sweep looks at so many items at once, and SQS takes so many messages in one call. */
export const pages = { sweep: 500, send: 10 } as const;
