import * as z from 'zod';

/**
 * A bounded number with an optional fraction, rounded to three decimals. The body parser passes numbers not written as
 * exact integers as `Number` objects, so that only this schema accepts them.
 */
export const decimal = (min: number, max: number) =>
  z
    .custom<number>((value) => typeof value === 'number' || value instanceof Number, {
      params: { key: 'type', expected: 'number' },
    })
    .meta({ type: 'number', minimum: min, maximum: max })
    .transform((value) => Math.round(Number(value) * 1_000) / 1_000)
    .pipe(z.number().check(z.gte(min), z.lte(max)));
