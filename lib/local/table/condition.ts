import { invalid } from './errors.ts';
import { type Bound, cachedParser, listOf, operandAt, operandOf, type Reader } from './expression.ts';
import type { Document, Value } from './values.ts';

type Condition = (item: Document, bound: Bound) => boolean;
type Comparison = (a: Value | undefined, b: Value | undefined) => boolean;

const isNumber = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Whether two values are equal in type and content. */
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

/**
 * Compares two numbers, or two strings by their bytes. The result is below 0, 0 or above 0, or null if the values have
 * no order.
 */
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

const contains = (container: Value | undefined, sought: Value | undefined): boolean => {
  if (Array.isArray(container)) return container.some((element) => isSame(element, sought));
  return typeof container === 'string' && typeof sought === 'string' && container.includes(sought);
};

const functionOf = (reader: Reader, name: string): Condition => {
  reader.expect(name.toUpperCase());
  reader.expect('(');
  const valueIn = operandAt(reader.path());
  if (name === 'attribute_exists') return (...args) => valueIn(...args) !== undefined;
  if (name === 'attribute_not_exists') return (...args) => valueIn(...args) === undefined;
  if (name !== 'contains') throw invalid(`the local table does not support the function ${name}`);
  reader.expect(',');
  const sought = operandOf(reader);
  return (...args) => contains(valueIn(...args), sought(...args));
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
    return (...args) => {
      const above = orderOf(left(...args), low(...args));
      const below = orderOf(left(...args), high(...args));
      return above !== null && below !== null && above >= 0 && below <= 0;
    };
  }
  if (reader.accept('IN')) {
    reader.expect('(');
    const all = listOf(reader, () => operandOf(reader));
    reader.expect(')');
    return (...args) => all.some((operand) => isSame(left(...args), operand(...args)));
  }
  const operator = Object.keys(comparisons).find((key) => reader.accept(key));
  const compare = operator && comparisons[operator];
  if (!compare) throw reader.wrong();
  const right = operandOf(reader);
  return (...args) => compare(left(...args), right(...args));
};

const negationOf = (reader: Reader): Condition => {
  if (reader.accept('NOT')) {
    const negated = negationOf(reader);
    return (...args) => !negated(...args);
  }
  if (!reader.accept('(')) return comparisonOf(reader);
  const inner = conditionOf(reader);
  reader.expect(')');
  return inner;
};

const allOf = (reader: Reader): Condition => {
  const all = [negationOf(reader)];
  while (reader.accept('AND')) all.push(negationOf(reader));
  return (...args) => all.every((condition) => condition(...args));
};

const conditionOf = (reader: Reader): Condition => {
  const all = [allOf(reader)];
  while (reader.accept('OR')) all.push(allOf(reader));
  return (...args) => all.some((condition) => condition(...args));
};

/** Parses a condition into a function that checks an item. A missing item is treated as an item without attributes. */
export const parseCondition = cachedParser(conditionOf);
