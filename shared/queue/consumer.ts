import type * as z from 'zod';
import type { Checked, Known, Use } from '../runtime/capabilities.ts';
import type { QueueName } from './names.ts';

/** Declares a Lambda that works on queues. It is data only. */
export type Consumer<U extends string = Use> = {
  name: string;
  queues: readonly [QueueName, ...QueueName[]];
  task: z.ZodType;
  batchSize: number;
  /** How many invocations may run at the same time for each queue. */
  concurrency: number;
  /**
   * How many tasks of one customer, and of one group, the local host works on at the same time. In the cloud fair
   * queues share the work.
   */
  ofCustomer?: number;
  ofGroup?: number;
  timeoutSeconds: number;
  uses: readonly U[];
};

/** Declares a Lambda that runs on a schedule. */
export type Scheduled<U extends string = Use> = {
  name: string;
  everySeconds: number;
  timeoutSeconds: number;
  uses: readonly U[];
};

/** Declares a Lambda that another service calls synchronously. */
export type Called<U extends string = Use> = { name: string; timeoutSeconds: number; uses: readonly U[] };

/** A wrong word in `uses` is an error here, and nowhere else. */
export function consumer<const C extends Consumer<string>>(declared: C & Checked): Known<C>;
export function consumer(declared: Consumer): Consumer {
  return declared;
}
export function scheduled<const S extends Scheduled<string>>(declared: S & Checked): Known<S>;
export function scheduled(declared: Scheduled): Scheduled {
  return declared;
}
export function called<const C extends Called<string>>(declared: C & Checked): Known<C>;
export function called(declared: Called): Called {
  return declared;
}

/**
 * Gives the visibility timeout of a consumer's queues in seconds. A consumer that fails shows its messages again
 * itself, so the timeout matters only when a process dies, and then a fall must not wait longer than needed: as long as
 * the function may work, which is the least that Lambda takes. AWS advises six times as much, which saves receives while
 * functions are throttled; extra receives do no harm here.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const visibilitySeconds = ({ timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>): number => timeoutSeconds + 1;
/** How many receives move a message to the dead-letter queue. With the pauses between them they take about a day. */
export const MAX_RECEIVES = 100;
/** How long SQS keeps messages, dead letters too. SQS allows no longer time. */
export const RETENTION_DAYS = 14;

/**
 * Gives the seconds until a failed message becomes visible again, by its number of receives: 0 for the first two, then
 * doubling up to 900.
 */
export const retrySeconds = (receives: number): number => (receives <= 2 ? 0 : Math.min(900, 2 ** (receives - 3)));
