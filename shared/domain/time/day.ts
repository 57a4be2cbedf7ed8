import * as z from 'zod';
import { firstDay } from './calendar.ts';

const MONTH_OR_DAY = '^20[0-9]{2}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$';
const exists = (date: string): boolean => {
  const utc = new RegExp(MONTH_OR_DAY).test(date) ? Date.parse(`${firstDay(date)}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(utc) && new Date(utc).toISOString().startsWith(firstDay(date));
};

/** A month (`YYYY-MM`) or day (`YYYY-MM-DD`) in this century. */
export const MonthOrDay = z
  .string()
  .check((ctx) => {
    if (!exists(ctx.value)) ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'invalid' } });
  })
  .meta({ pattern: MONTH_OR_DAY });

const DAY = '^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';
/** A day (`YYYY-MM-DD`) in this century. */
export const Day = z
  .string()
  .check((ctx) => {
    if (!new RegExp(DAY).test(ctx.value) || !exists(ctx.value))
      ctx.issues.push({ code: 'custom', input: ctx.value, params: { key: 'invalid' } });
  })
  .meta({ pattern: DAY });
