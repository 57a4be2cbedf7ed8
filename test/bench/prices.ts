/**
 * USD without tax, region eu-central-1, beyond all free tiers, first volume step. Collected on 2026-11-21 from the
 * providers' public price pages as last known here, not from an invoice: check them before you sign anything.
 */
export const prices = {
  date: '2026-11-21',
  region: 'eu-central-1',
  // https://aws.amazon.com/dynamodb/pricing/on-demand/ (table class Standard, since the reduction of November 2024)
  tableWriteUnit: 0.7625 / 1e6,
  tableReadUnit: 0.1525 / 1e6,
  // https://aws.amazon.com/sqs/pricing/ (standard queue, 64 KB a request; with a message group id it is a fair queue)
  queueRequest: 0.4 / 1e6,
  fairQueueSurcharge: 0.1 / 1e6,
  // https://aws.amazon.com/lambda/pricing/ (arm64)
  invocation: 0.2 / 1e6,
  gigabyteSecond: 0.0000133334,
  // https://aws.amazon.com/api-gateway/pricing/ (REST API)
  apiRequest: 3.7 / 1e6,
} as const;

/**
 * What a run on this machine cannot tell: how long an invocation is billed in the region. Assumed: 5 ms for each of
 * the sequential calls of the table and of a queue, 100 ms for a receiver, and the CPU time around them.
 */
export const assumed = { memoryGigabytes: 1, milliseconds: { devices: 25, process: 65, deliver: 135 } } as const;

export type Consumed = { read: number; write: number; queueRequests: number };

/** What one delivered event costs, unbatched, by service, in USD. */
export const priceOf = ({ read, write, queueRequests }: Consumed): Record<string, number> => {
  const milliseconds = Object.values(assumed.milliseconds);
  const seconds = milliseconds.reduce((sum, one) => sum + one, 0) / 1_000;
  return {
    table: read * prices.tableReadUnit + write * prices.tableWriteUnit,
    queues: queueRequests * (prices.queueRequest + prices.fairQueueSurcharge),
    functions: milliseconds.length * prices.invocation + seconds * assumed.memoryGigabytes * prices.gigabyteSecond,
    api: prices.apiRequest,
  };
};
