import * as z from 'zod';
import { id, int64, uuid } from '../domain/values.ts';

// Doorbells carry ids alone, in ASCII: no payload can poison a queue or outgrow it.

/**
 * Messages `e` of the sensor `s` of the customer `c` (0: nobody's) wait to be processed, in this order; without any,
 * the sensor may have been silent for too long.
 */
export const EventBell = z.object({ c: int64, s: z.string().max(26), e: z.array(uuid).max(100) });
export type EventBell = z.output<typeof EventBell>;

/**
 * The delivery `d` of the webhook `w` of the customer `c` is due. `r`: it takes the way of retries, apart from what goes
 * to receivers that are well. `t`: not before that time (ms), within the second.
 */
export const DeliveryBell = z.object({
  c: id,
  w: uuid,
  d: z.string().regex(/^[0-9a-z]{26}$/),
  r: z.literal(true).optional(),
  t: int64.optional(),
});
export type DeliveryBell = z.output<typeof DeliveryBell>;

/** There is work for a webhook as a whole: to let go what it holds, or the replay `j`. */
export const JobBell = z.object({ c: id, w: uuid, j: z.union([z.literal('held'), uuid]) });
export type JobBell = z.output<typeof JobBell>;

/** Longest delay that a queue can hold a message back. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-delay-queues.html */
export const MAX_DELAY_SECONDS = 900;

/** Whom a queue is to be fair to: a webhook of a customer, else the customer. At most 128 characters. */
export const groupOf = (bell: { c: number; w?: string }): string => (bell.w ? `${bell.c}/${bell.w}` : String(bell.c));
/** The customer of a group. */
export const customerOf = (groupId: string): string => groupId.split('/')[0] ?? '';

export type Bell = { body: string; delaySeconds: number; groupId: string };
