import * as z from 'zod';
import { TimeZone } from '../time/time-zone.ts';

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/**
 * A weekly schedule. Days are 1 (Monday) to 7. If `from` is after `to`, the time span ends on the day after each listed
 * day.
 */
export const Schedule = z.object({
  days: z.array(z.int().min(1).max(7)).min(1).max(7),
  from: Clock,
  to: Clock,
  timeZone: TimeZone,
});
export type Schedule = z.infer<typeof Schedule>;
