import * as z from 'zod';
import { id } from '../values.ts';

/** Identifies an attempt to send a notification. Messaging services include it in their events about the message. */
export type NotificationReference = { customerId: number; deliveryId: string; attempt: number };

/** Returns a reference as tags whose values are letters and digits, as SES requires. */
export const referenceTags = ({ customerId, deliveryId, attempt }: NotificationReference): Record<string, string> => ({
  customerId: String(customerId),
  deliveryId,
  attempt: String(attempt),
});

const number = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);
const Tags = z.object({ customerId: number.pipe(id), deliveryId: z.string().regex(/^[0-9a-z]{26}$/), attempt: number });

/** Returns the reference in event tags. Null if the event is about something else. */
export const referenceIn = (tags: unknown): NotificationReference | null => Tags.safeParse(tags).data ?? null;
