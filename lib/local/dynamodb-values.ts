/** An AttributeValue of DynamoDB, limited to the types that JSON has: this table holds no sets and no bytes. */
export type Value = { S: string } | { N: string } | { BOOL: boolean } | { NULL: true } | { L: Value[] } | { M: Values };
export type Values = { [name: string]: Value };
type Document = Record<string, unknown>;

const isLeftOut = (value: unknown): boolean => value === undefined || typeof value === 'function';

const numberValue = (value: number): Value => {
  if (!Number.isFinite(value)) throw new Error(`Special numeric value ${value} is not allowed`);
  // Beyond these bounds two different numbers of the table may be the same number here.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new Error(`Number ${value} is beyond the safe integers.`);
  return { N: String(value) };
};

/**
 * An object with a field `constructor` is not a plain one: the document client decides so, and this must not differ
 * from AWS.
 */
const isPlain = (value: object): value is Document => !value.constructor || value.constructor.name === 'Object';

const attributeOf = (value: unknown): Value => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return numberValue(value);
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'bigint') return { N: String(value) };
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((one) => !isLeftOut(one)).map(attributeOf) };
  if (typeof value === 'object' && isPlain(value)) return { M: marshal(value) };
  throw new Error(`Unsupported type passed: ${Object.prototype.toString.call(value)}`);
};

/**
 * Converts a document to AttributeValues. It omits and refuses the same values as the document client of
 * shared/store/client.ts.
 */
export const marshal = (document: Document): Values => {
  const values: Values = {};
  for (const name of Object.keys(document)) {
    if (name === '__proto__') throw new Error('Unsupported name passed: __proto__');
    if (!isLeftOut(document[name])) values[name] = attributeOf(document[name]);
  }
  return values;
};

/** Reads a number. A sum in the table may have grown beyond the safe integers; then it is a bigint. */
const numberOf = (text: string): number | bigint => {
  const value = Number(text);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && Number.isFinite(value) ? BigInt(text) : value;
};

const nativeOf = (value: Value): unknown => {
  if ('S' in value) return value.S;
  if ('N' in value) return numberOf(value.N);
  if ('M' in value) return unmarshal(value.M);
  if ('L' in value) return value.L.map(nativeOf);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  throw new Error(`Unsupported type received: ${Object.keys(value)}`);
};

/** Converts AttributeValues back to the document that `marshal` was given. */
export const unmarshal = (values: Values): Document => {
  const document: Document = {};
  for (const [name, value] of Object.entries(values)) document[name] = nativeOf(value);
  return document;
};
