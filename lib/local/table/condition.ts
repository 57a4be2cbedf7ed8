import { isSame, orderOf } from './compare.ts';
import { invalid } from './errors.ts';
import { type Bound, listOf, operandAt, operandOf, parsedOnce, type Reader } from './expression.ts';
import type { Document, Value } from './values.ts';

type Condition = (item: Document, bound: Bound) => boolean;
type Comparison = (a: Value | undefined, b: Value | undefined) => boolean;

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
