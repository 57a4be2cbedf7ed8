import * as z from 'zod';

const isTimeZone = (value: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== undefined && /^[A-Za-z]/.test(value);
  } catch {
    return false;
  }
};

/** An IANA time zone name, such as `Europe/Berlin`. */
export const TimeZone = z
  .string()
  .max(64)
  .check((ctx) => {
    if (!isTimeZone(ctx.value)) ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'time_zone' } });
  });
