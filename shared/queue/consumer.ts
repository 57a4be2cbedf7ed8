import type * as z from 'zod';
import type { QueueName, Use } from '../capabilities.ts';

/** A Lambda that works on queues: data only. */
export type Consumer = {
  name: string;
  queues: readonly [QueueName, ...QueueName[]];
  task: z.ZodType;
  batchSize: number;
  /** Invocations at a time for each queue. */
  concurrency: number;
  /** Tasks of one customer, and of one group, that the local host works on at a time. In the cloud, fair queues see to that. */
  ofCustomer?: number;
  ofGroup?: number;
  timeoutSeconds: number;
  uses: readonly Use[];
};

/** A Lambda that runs by the clock. */
export type Scheduled = { name: string; everySeconds: number; timeoutSeconds: number; uses: readonly Use[] };

/** A Lambda that another service calls, and waits for. */
export type Called = { name: string; timeoutSeconds: number; uses: readonly Use[] };

export const consumer = <const C extends Consumer>(declared: C): C => declared;
export const scheduled = <const S extends Scheduled>(declared: S): S => declared;
export const called = <const C extends Called>(declared: C): C => declared;

/**
 * How long a message stays hidden while it is worked on. What a process leaves undone is shown again by itself; this is
 * for those that die, and a fall must not wait longer for that than it has to. It is shorter than the six timeouts that AWS
 * advises, which spare repetitions while functions are throttled: those do no harm here.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export const visibilitySeconds = ({ timeoutSeconds }: Pick<Consumer, 'timeoutSeconds'>): number => 2 * timeoutSeconds;
/** Receives before a message goes to the dead-letter queue: with the pauses between them a day. */
export const MAX_RECEIVES = 100;
/** How long SQS keeps what waits, dead letters too: the longest that it can. */
export const RETENTION_DAYS = 14;

/** Seconds until a message that was not worked off is shown again, by how often it was received: twice at once, then ever later. */
export const retrySeconds = (receives: number): number => (receives <= 2 ? 0 : Math.min(900, 2 ** (receives - 3)));
