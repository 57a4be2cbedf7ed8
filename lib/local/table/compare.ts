import type { Value } from './values.ts';

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Are two values the same, in type and content? */
export const isSame = (a: Value | undefined, b: Value | undefined): boolean => {
  if (a === undefined || b === undefined) return false;
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same number.
  if (isNumber(a) && isNumber(b)) return a == b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((element, at) => isSame(element, b[at]))
    );
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
};

/** Below 0, 0 or above 0, as the table orders two numbers or two texts (by their bytes); null: they have no order. */
export const orderOf = (a: Value | undefined, b: Value | undefined): number | null => {
  if (a === undefined || b === undefined) return null;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string')
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  return null;
};
