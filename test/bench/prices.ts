/**
 * USD without tax, region eu-central-1, beyond all free tiers, first volume step. Looked up on 2026-11-22. AWS writes its
 * tables by script, so the figures are those of its price list files, as others quote them with their date; each line says
 * which. They are no invoice: check them before you sign anything.
 */
export const prices = {
  date: '2026-11-22',
  region: 'eu-central-1',
  // Price list AmazonDynamoDB of 2026-08-15; https://aws.amazon.com/dynamodb/pricing/on-demand/
  tableWriteUnit: 0.7625 / 1e6,
  tableReadUnit: 0.1525 / 1e6,
  tableGigabyteMonth: 0.306,
  backupGigabyteMonth: 0.2448,
  // Price list AWSQueueService of 2025-08-28, for each 64 KB of a request; https://aws.amazon.com/sqs/pricing/
  queueRequest: 0.4 / 1e6,
  // With a message group a standard queue is fair.
  fairQueueSurcharge: 0.1 / 1e6,
  fifoRequest: 0.5 / 1e6,
  // arm64, the same in all regions of Europe; https://aws.amazon.com/lambda/pricing/
  invocation: 0.2 / 1e6,
  gigabyteSecond: 0.0000133334,
  // HTTP API, for each 512 KB, and REST API; us-east-1 has 1.00 and 3.50; https://aws.amazon.com/api-gateway/pricing/
  httpRequest: 1.2 / 1e6,
  restRequest: 3.7 / 1e6,
  // Price list AmazonCloudWatch of 2026-08-06; https://aws.amazon.com/cloudwatch/pricing/
  logGigabyte: 0.63,
  alarmMonth: 0.1,
  // Price list AWSDataTransfer of 2026-07-20, out to the internet; https://aws.amazon.com/ec2/pricing/on-demand/#Data_Transfer
  trafficGigabyte: 0.09,
  // https://aws.amazon.com/kms/pricing/
  keyMonth: 1,
  keyRequest: 0.03 / 10_000,
} as const;

/** What no run on this machine can tell. Times are milliseconds that an invocation is billed for. */
export const assumed = {
  // functions/*/contract.ts and lib/aws/function.ts declare 1,024 MB.
  memoryGigabytes: 1,
  /**
   * 5 ms for each of the calls of the table that follow each other, 10 for one of a queue, 100 for a receiver, and CPU:
   * accept 1 and 1; a report 2 and a third; an event 8 and 1; a delivery 5; a look 3.
   */
  milliseconds: { accept: 20, report: 15, event: 60, deliver: 130, look: 25, sweep: 200 },
  /** How many messages a receive brings: alone, unless more wait. A FIFO queue knows no waiting for more of them. */
  batch: 1,
  /** START, END and REPORT of an invocation, with 26 bytes for each that CloudWatch adds; the code itself writes nothing. */
  logBytes: 410,
  /** A line of the front door's access log. */
  accessBytes: 280,
  /** What goes out: the answer to a device with its headers; a request to a receiver, on a connection of its own. */
  answerBytes: 600,
  requestBytes: 5_000,
  /** Of a cold start, and how many of the invocations are one. */
  coldStart: { milliseconds: 600, share: 0.01 },
  /** Pollers of a queue that find nothing, each for 20 s. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
  idlePollers: 5,
  queues: 4,
  alarms: 60,
  /** The table asks for its key once in 5 minutes for each process that uses it. */
  processes: 20,
} as const;
