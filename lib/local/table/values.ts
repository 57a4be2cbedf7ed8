import { invalid } from './errors.ts';

/** What the table holds: the values of JSON, and sums that have grown beyond the safe integers. */
export type Value = string | number | bigint | boolean | null | Value[] | Document;
export type Document = { [name: string]: Value };

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const DEEPEST = 32;
const SMALLEST = 1e-130;

const isLeftOut = (value: unknown): boolean => value === undefined || typeof value === 'function';

/** An object with a field `constructor` is no plain one: the document client of the SDK decides so. */
const isPlain = (value: object): boolean => !value.constructor || value.constructor.name === 'Object';

const numberOf = (value: number): number => {
  if (!Number.isFinite(value)) throw new Error(`Special numeric value ${value} is not allowed`);
  // Beyond these bounds two different numbers of the table may be the same number here.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`Number ${value} is beyond the safe integers.`);
  if (value !== 0 && Math.abs(value) < SMALLEST) throw invalid('Number underflow');
  // There is no negative zero in the table.
  return value === 0 ? 0 : value;
};

/** A copy of a value; leaves out and refuses what the document client of shared/store/engine/client.ts does. */
export const copyOf = (value: unknown, depth = 0): Value => {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint' || value === null)
    return value;
  if (typeof value === 'number') return numberOf(value);
  if (depth > DEEPEST) throw invalid('Nesting Levels have exceeded supported limits');
  if (Array.isArray(value))
    return value.filter((element) => !isLeftOut(element)).map((element) => copyOf(element, depth + 1));
  if (typeof value === 'object' && isPlain(value)) return documentOf(value, depth + 1);
  throw new Error(`Unsupported type passed: ${Object.prototype.toString.call(value)}`);
};

/** The same of a document. */
export const documentOf = (given: object, depth = 0): Document => {
  const document: Document = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === '__proto__') throw new Error('Unsupported name passed: __proto__');
    if (!isLeftOut(value)) document[name] = copyOf(value, depth);
  }
  return document;
};

/** The bytes that DynamoDB counts for a value, without its name. */
const bytesOf = (value: Value): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value === 0) return 2;
  // Most numbers are whole, and a regular expression would take longer than all the rest.
  if (typeof value === 'number' && Number.isInteger(value)) return Math.ceil(String(Math.abs(value)).length / 2) + 2;
  if (typeof value === 'number' || typeof value === 'bigint')
    return Math.ceil(String(value).replaceAll(/[^\d]|^0+/g, '').length / 2) + 2;
  if (value === null || typeof value === 'boolean') return 1;
  if (Array.isArray(value)) return value.reduce((sum: number, element) => sum + bytesOf(element) + 1, 3);
  return sizeOf(value) + 3 + Object.keys(value).length;
};

/**
 * The size of a document in bytes, as the limits of DynamoDB count it.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export const sizeOf = (document: Document): number => {
  let size = 0;
  for (const [name, value] of Object.entries(document)) size += Buffer.byteLength(name) + bytesOf(value);
  return size;
};

/** JSON as the table keeps it. */
export const textOf = (document: Document): string => {
  try {
    return JSON.stringify(document);
  } catch {
    // A bigint is rare, and asking for each value whether it is one would be the most of the work.
    return JSON.stringify(document, (_, value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value));
  }
};

const exact = (_: string, value: unknown, { source }: { source?: string }): unknown =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? '')
    : value;

/** A number of 16 digits or more, which may be beyond the safe integers. */
const LARGE = /[:,[]-?\d{16}/;

/** Reads what `textOf` wrote: integers beyond the safe ones are bigints. */
export const documentIn = (text: string): Document =>
  LARGE.test(text) ? JSON.parse(text, exact as (key: string, value: unknown) => unknown) : JSON.parse(text);
