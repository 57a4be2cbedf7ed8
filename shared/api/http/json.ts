/** The maximum nesting depth in a body. */
const MAX_DEPTH = 32;

/** Returns the index of the closing quote for the string that begins at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
};

const isDeeper = (text: string, maxDepth: number): boolean => {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > maxDepth) return true;
  }
  return false;
};

/** Whether a value is a number not written as an exact integer. */
export const isInexact = (value: unknown): boolean => value instanceof Number;
const exactInteger = /^(0|-?[1-9]\d{0,15})$/;
const mayBeInexact = /[\d.][eE][+-]?\d|\d\.\d|\d{16}|-0/;

/** Wraps a number not written as an exact integer, so only the decimal schema accepts it. */
const markInexact = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && !(exactInteger.test(context?.source ?? '') && Number.isSafeInteger(value))
    ? Object(value)
    : value;

type Parsed = { value: unknown } | { problem: 'json' | 'json_depth' };

/**
 * Parses a request body. Integers are never rounded: schemas reject 1.0, 1e3 and 2^53 where they expect an integer.
 * Keys such as `__proto__` become plain own properties, and schemas drop them.
 */
export const parseJson = (text: string): Parsed => {
  if (isDeeper(text, MAX_DEPTH)) return { problem: 'json_depth' };
  try {
    return { value: mayBeInexact.test(text) ? JSON.parse(text, markInexact) : JSON.parse(text) };
  } catch {
    return { problem: 'json' };
  }
};

declare global {
  interface JSON {
    /**
     * Returns an object that `stringify` writes as this text: a number, a string, true, false or null. Part of
     * ECMAScript, and available in Node since version 22.
     */
    rawJSON(text: string): object;
  }
}

const keepDigits = (_: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value;

/** Parses valid JSON text so that `JSON.stringify` writes each number with the original digits. */
export const parseKeepingDigits = (text: string): unknown =>
  mayBeInexact.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
