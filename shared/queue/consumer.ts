import type * as z from 'zod';
import type { CheckedContract, DeclaresUses, Use } from '../runtime/capabilities.ts';
import type { QueueName } from './names.ts';

/** Declares, as plain data, a Lambda function that processes queues. */
export type Consumer<U extends string = Use> = {
  name: string;
  queues: readonly [QueueName, ...QueueName[]];
  task: z.ZodType;
  batchSize: number;
  /** The maximum number of concurrent invocations for each queue. */
  concurrency: number;
  /**
   * The maximum number of concurrent tasks per customer, and per group, on the local host. In the cloud, fair queues
   * share the work.
   */
  concurrencyPerCustomer?: number;
  concurrencyPerGroup?: number;
  timeoutSeconds: number;
  uses: readonly U[];
};

/** Declares a scheduled Lambda function. */
export type Scheduled<U extends string = Use> = {
  name: string;
  everySeconds: number;
  timeoutSeconds: number;
  uses: readonly U[];
};

/** Declares a Lambda function called synchronously by another service. */
export type Called<U extends string = Use> = { name: string; timeoutSeconds: number; uses: readonly U[] };

/** Declares a consumer. An unknown word in `uses` is a compile error in the contract itself. */
export function consumer<const C extends Consumer<string>>(declared: C & DeclaresUses): CheckedContract<C>;
export function consumer(declared: Consumer): Consumer {
  return declared;
}
export function scheduled<const S extends Scheduled<string>>(declared: S & DeclaresUses): CheckedContract<S>;
export function scheduled(declared: Scheduled): Scheduled {
  return declared;
}
export function called<const C extends Called<string>>(declared: C & DeclaresUses): CheckedContract<C>;
export function called(declared: Called): Called {
  return declared;
}

/**
 * Returns the visibility timeout (s) for the queues of a consumer. A consumer that fails makes the messages visible
 * again itself, so the timeout matters only if a process dies. A fall must then wait no longer than necessary, meaning
 * for the function timeout, the shortest that Lambda accepts. AWS recommends six times as much, which saves receives
 * while functions are throttled. Extra receives do no harm here.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const visibilitySeconds = ({ timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>): number => timeoutSeconds + 1;
/**
 * The number of receives after which a message moves to the dead-letter queue. With the pauses between them, this takes
 * about a day.
 */
export const MAX_RECEIVES = 100;
/** How long SQS keeps messages, including dead letters. This is the maximum SQS allows. */
export const RETENTION_DAYS = 14;

/**
 * Returns the seconds until a failed message becomes visible again, depending on the number of receives. The delay is 0
 * for the first two receives, then doubles up to 900.
 */
export const retrySeconds = (receives: number): number => (receives <= 2 ? 0 : Math.min(900, 2 ** (receives - 3)));
