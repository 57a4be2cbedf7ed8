import * as z from 'zod';

const isTimeZone = (value: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined && /^[A-Za-z]/.test(value);
  } catch {
    return false;
  }
};

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/**
 * A weekly schedule. Days are 1 (Monday) to 7. If `from` is after `to`, the time span ends on the day after the listed
 * one.
 */
export const Schedule = z.object({
  days: z.array(z.int().min(1).max(7)).min(1).max(7),
  from: Clock,
  to: Clock,
  timeZone: z
    .string()
    .max(64)
    .check((ctx) => {
      if (!isTimeZone(ctx.value)) ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'time_zone' } });
    }),
});
export type Schedule = z.infer<typeof Schedule>;
