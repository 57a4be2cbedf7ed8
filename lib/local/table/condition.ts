import { invalid } from './errors.ts';
import { type Bound, listOf, operandAt, operandOf, parsedOnce, type Reader } from './expression.ts';
import type { Document, Value } from './values.ts';

type Condition = (item: Document, bound: Bound) => boolean;
type Comparison = (a: Value | undefined, b: Value | undefined) => boolean;

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Are two values the same, in type and content? */
const isSame = (a: Value | undefined, b: Value | undefined): boolean => {
  if (a === undefined || b === undefined) return false;
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint may be the same number.
  if (isNumber(a) && isNumber(b)) return a == b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, at) => isSame(element, b[at]));
  }
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]));
};

/** Below 0, 0 or above 0, as the table orders two numbers or two texts (by their bytes); null: they have no order. */
const orderOf = (a: Value | undefined, b: Value | undefined): number | null => {
  if (a === undefined || b === undefined) return null;
  if (isNumber(a) && isNumber(b)) {
    if (a < b) return -1;
    return a > b ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string')
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  return null;
};

const ordered =
  (fits: (order: number) => boolean): Comparison =>
  (a, b) => {
    const order = orderOf(a, b);
    return order !== null && fits(order);
  };

const comparisons: Readonly<Record<string, Comparison>> = {
  '=': isSame,
  '<>': (a, b) => !isSame(a, b),
  '<': ordered((order) => order < 0),
  '<=': ordered((order) => order <= 0),
  '>': ordered((order) => order > 0),
  '>=': ordered((order) => order >= 0),
};

const isIn = (given: Value | undefined, sought: Value | undefined): boolean => {
  if (Array.isArray(given)) return given.some((element) => isSame(element, sought));
  return typeof given === 'string' && typeof sought === 'string' && given.includes(sought);
};

const functionOf = (reader: Reader, name: string): Condition => {
  reader.expect(name.toUpperCase());
  reader.expect('(');
  const valueIn = operandAt(reader.path());
  if (name === 'attribute_exists') return (...given) => valueIn(...given) !== undefined;
  if (name === 'attribute_not_exists') return (...given) => valueIn(...given) === undefined;
  if (name !== 'contains') throw invalid(`this table has no function ${name}`);
  reader.expect(',');
  const sought = operandOf(reader);
  return (...given) => isIn(valueIn(...given), sought(...given));
};

const comparisonOf = (reader: Reader): Condition => {
  const name = reader.call();
  if (name) {
    const call = functionOf(reader, name);
    reader.expect(')');
    return call;
  }
  const left = operandOf(reader);
  if (reader.accept('BETWEEN')) {
    const low = operandOf(reader);
    reader.expect('AND');
    const high = operandOf(reader);
    return (...given) => {
      const above = orderOf(left(...given), low(...given));
      const below = orderOf(left(...given), high(...given));
      return above !== null && below !== null && above >= 0 && below <= 0;
    };
  }
  if (reader.accept('IN')) {
    reader.expect('(');
    const all = listOf(reader, () => operandOf(reader));
    reader.expect(')');
    return (...given) => all.some((operand) => isSame(left(...given), operand(...given)));
  }
  const sign = Object.keys(comparisons).find((key) => reader.accept(key));
  const compare = sign && comparisons[sign];
  if (!compare) throw reader.wrong();
  const right = operandOf(reader);
  return (...given) => compare(left(...given), right(...given));
};

const negationOf = (reader: Reader): Condition => {
  if (reader.accept('NOT')) {
    const negated = negationOf(reader);
    return (...given) => !negated(...given);
  }
  if (!reader.accept('(')) return comparisonOf(reader);
  const inner = conditionOf(reader);
  reader.expect(')');
  return inner;
};

const allOf = (reader: Reader): Condition => {
  const all = [negationOf(reader)];
  while (reader.accept('AND')) all.push(negationOf(reader));
  return (...given) => all.every((condition) => condition(...given));
};

const conditionOf = (reader: Reader): Condition => {
  const all = [allOf(reader)];
  while (reader.accept('OR')) all.push(allOf(reader));
  return (...given) => all.some((condition) => condition(...given));
};

/** Parses a condition: a function that says whether an item meets it; an absent item is one without attributes. */
export const parseCondition = parsedOnce(conditionOf);
