import type * as z from 'zod';
import type { QueueName, Use } from '../capabilities.ts';

/** A Lambda that works on queues: data only. */
export type Consumer = {
  name: string;
  queues: readonly [QueueName, ...QueueName[]];
  message: z.ZodType;
  batchSize: number;
  /** Invocations at a time for each queue. */
  concurrency: number;
  /** Messages of one customer, and of one group, that the local host works on at a time. In the cloud, fair queues see to that. */
  ofCustomer?: number;
  ofGroup?: number;
  timeoutSeconds: number;
  uses: readonly Use[];
};

/** A Lambda that runs by the clock. */
export type Scheduled = { name: string; everySeconds: number; timeoutSeconds: number; uses: readonly Use[] };

export const consumer = <const C extends Consumer>(declared: C): C => declared;
export const scheduled = <const S extends Scheduled>(declared: S): S => declared;

/**
 * How long a message stays hidden while it is worked on: six times the function's timeout.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const visibilitySeconds = ({ timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>): number => 6 * timeoutSeconds;
/** Receives before a message goes to the dead-letter queue; AWS asks for five at least. */
export const MAX_RECEIVES = 5;
