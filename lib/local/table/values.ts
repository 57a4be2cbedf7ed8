import { invalid } from './errors.ts';

/** A value in the table: a JSON value, or a sum beyond the safe integers. */
export type Value = string | number | bigint | boolean | null | Value[] | Document;
export type Document = { [name: string]: Value };

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_DEPTH = 32;
const MIN_MAGNITUDE = 1e-130;

const isOmitted = (value: unknown): boolean => value === undefined || typeof value === 'function';

/** Whether an object is plain. As in the SDK's document client, an object with a `constructor` field is not. */
const isPlain = (value: object): boolean => !value.constructor || value.constructor.name === 'Object';

const numberOf = (value: number): number => {
  if (!Number.isFinite(value)) throw new Error(`Special numeric value ${value} is not allowed`);
  // Outside these bounds, two different numbers in the table may be the same JavaScript number.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`Number ${value} is beyond the safe integers.`);
  if (value !== 0 && Math.abs(value) < MIN_MAGNITUDE) throw invalid('Number underflow');
  // There is no negative zero in the table.
  return value === 0 ? 0 : value;
};

/** Copies a value. Omits and rejects what the document client in shared/store/engine/client.ts omits and rejects. */
export const copyOf = (value: unknown, depth = 0): Value => {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  // As when parsing, only integers beyond the safe range stay bigints.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === 'number') return numberOf(value);
  if (depth > MAX_DEPTH) throw invalid('Nesting Levels have exceeded supported limits');
  if (Array.isArray(value))
    return value.filter((element) => !isOmitted(element)).map((element) => copyOf(element, depth + 1));
  if (typeof value === 'object' && isPlain(value)) return documentOf(value, depth + 1);
  throw new Error(`Unsupported type passed: ${Object.prototype.toString.call(value)}`);
};

/** Copies a document, with the same checks as `copyOf`. */
export const documentOf = (source: object, depth = 0): Document => {
  const document: Document = {};
  for (const [name, value] of Object.entries(source)) {
    if (name === '__proto__') throw new Error('Unsupported name passed: __proto__');
    if (!isOmitted(value)) document[name] = copyOf(value, depth);
  }
  return document;
};

const isDocument = (value: Value): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies a stored value, whatever names it contains. */
const duplicate = (value: Value): Value => {
  if (Array.isArray(value)) return value.map(duplicate);
  return isDocument(value) ? duplicateOf(value) : value;
};
/** Copies a stored item shared with other callers, so the copy can be changed. */
export const duplicateOf = (item: Document): Document => {
  const copy: Document = {};
  for (const name of Object.keys(item)) copy[name] = duplicate(item[name] ?? null);
  return copy;
};

/** Returns the bytes DynamoDB counts for a value, excluding its name. */
const bytesOf = (value: Value): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === 0) return 2;
  // Most numbers are integers, and the regular expression below would take longer than everything else.
  if (typeof value === 'number' && Number.isInteger(value)) return Math.ceil(String(Math.abs(value)).length / 2) + 2;
  if (typeof value === 'number' || typeof value === 'bigint')
    return Math.ceil(String(value).replaceAll(/[^\d]|^0+/g, '').length / 2) + 2;
  if (value === null || typeof value === 'boolean') return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, element) => sum + bytesOf(element) + 1, 3);
  return sizeOf(value) + 3 + Object.keys(value).length;
};

/**
 * Returns a document's size in bytes, as counted for the DynamoDB limits.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const sizeOf = (document: Document): number => {
  let size = 0;
  for (const [name, value] of Object.entries(document)) size += Buffer.byteLength(name) + bytesOf(value);
  return size;
};

/** Serializes a document to the JSON stored in the table. */
export const serializeDocument = (document: Document): string => {
  try {
    return JSON.stringify(document);
  } catch {
    // Bigints are rare, and checking every value for one would dominate the cost.
    return JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value));
  }
};

const exact = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? '')
    : value;

/** Matches a number with 16 digits or more, which may be beyond the safe integers. */
const LARGE = /[:,[]-?\d{16}/;

/** Parses JSON written by `serializeDocument`. Integers outside the safe range become bigints. */
export const parseDocument = (text: string): Document =>
  LARGE.test(text) ? JSON.parse(text, exact as (key: string, value: unknown) => unknown) : JSON.parse(text);
