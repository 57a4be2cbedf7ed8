import { invalid, invalidItem } from './errors.ts';
import {
  type Bound,
  cachedParser,
  listOf,
  namesOf,
  type Operand,
  operandAt,
  operandOf,
  type Path,
  type Reader,
  valueAt,
} from './expression.ts';
import { copyOf, type Document, type Value } from './values.ts';

type Change = { path: Path; value: Operand | null };
/**
 * More digits than this would be rounded.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 */
const MAX_DIGITS = 38;

const wrongType = () => invalidItem('An operand in the update expression has an incorrect data type');
const missing = () => invalidItem('The provided expression refers to an attribute that does not exist in the item');
const misplaced = () => invalidItem('The document path provided in the update expression is invalid for update');

const integerOf = (operand: Value | undefined): bigint => {
  if (typeof operand === 'bigint') return operand;
  if (typeof operand !== 'number') throw wrongType();
  if (!Number.isInteger(operand)) throw invalidItem('the local table can only add integers');
  return BigInt(operand);
};

/** Adds integers exactly. The store adds no other numbers. */
const sumOf = (a: Value | undefined, b: Value | undefined): Value => {
  const sum = integerOf(a) + integerOf(b);
  if (String(sum).length > MAX_DIGITS) throw invalidItem('Number overflow');
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : sum;
};

const present = (value: Value | undefined): Value => {
  if (value === undefined) throw missing();
  return value;
};

const functions = {
  if_not_exists:
    (path: Operand, other: Operand): Operand =>
    (...args) => {
      const found = path(...args);
      return found === undefined ? other(...args) : found;
    },
  list_append:
    (first: Operand, second: Operand): Operand =>
    (...args) => {
      const a = present(first(...args));
      const b = present(second(...args));
      if (!Array.isArray(a) || !Array.isArray(b)) throw wrongType();
      return [...a, ...b];
    },
};

const termOf = (reader: Reader): Operand => {
  const name = reader.call();
  if (!name) return operandOf(reader);
  const build = Object.hasOwn(functions, name) ? functions[name as keyof typeof functions] : null;
  if (!build) throw invalid(`the local table does not support the function ${name}`);
  reader.expect(name.toUpperCase());
  reader.expect('(');
  const first = termOf(reader);
  reader.expect(',');
  const second = termOf(reader);
  reader.expect(')');
  return build(first, second);
};

const assignmentOf = (reader: Reader): Change => {
  const path = reader.path();
  reader.expect('=');
  const first = termOf(reader);
  if (!reader.accept('+')) return { path, value: (...args) => present(first(...args)) };
  const second = termOf(reader);
  return { path, value: (...args) => sumOf(present(first(...args)), present(second(...args))) };
};

const additionOf = (reader: Reader): Change => {
  const path = reader.path();
  if (path.length > 1) throw invalid('ADD supports only top-level attributes');
  const before = functions.if_not_exists(operandAt(path), () => 0);
  const more = operandOf(reader);
  return { path, value: (...args) => sumOf(before(...args), more(...args)) };
};

const changesOf = (reader: Reader): Change[] => {
  const changes: Change[] = [];
  const clauses = { SET: assignmentOf, ADD: additionOf, REMOVE: (): Change => ({ path: reader.path(), value: null }) };
  const seen = new Set<string>();
  while (!reader.isAtEnd()) {
    const [word, clause] = Object.entries(clauses).find(([name]) => reader.accept(name)) ?? [];
    if (!word || !clause || seen.has(word)) throw reader.wrong();
    seen.add(word);
    changes.push(...listOf(reader, () => clause(reader)));
  }
  if (changes.length === 0) throw reader.wrong();
  return changes;
};

const parse = cachedParser(changesOf);

const startsWith = (path: Path, start: Path): boolean => start.every((step, at) => path[at] === step);

const rejectOverlaps = (paths: readonly Path[]): void => {
  if (paths.length === 1) return;
  for (const [at, path] of paths.entries())
    if (paths.some((other, otherAt) => otherAt !== at && startsWith(path, other)))
      throw invalid('Two document paths overlap with each other; must remove or rewrite one of these paths');
};

/** Sets or removes the value at a path. An index beyond the end of a list appends. */
const put = (item: Document, path: Path, value: Value | undefined): void => {
  const last = path.at(-1);
  const parent = valueAt(item, path.slice(0, -1));
  if (Array.isArray(parent) && typeof last === 'number') {
    if (value === undefined) parent.splice(last, 1);
    else parent[Math.min(last, parent.length)] = value;
    return;
  }
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent) || typeof last !== 'string')
    throw misplaced();
  if (value === undefined) delete parent[last];
  else parent[last] = value;
};

/** An element's index in the list. Elements are removed from the end of the list first. */
const indexOf = (path: Path): number => Number(path.at(-1));

/** Parses an update into a function that changes an item and returns the names of the attributes it set. */
export const parseUpdate = (text: string) => {
  const { run: changes, used } = parse(text);
  const run = (item: Document, bound: Bound): string[] => {
    const found = changes.map(({ path, value }) => ({ path: namesOf(path, bound), value: value?.(item, bound) }));
    rejectOverlaps(found.map(({ path }) => path));
    const sets = found.filter(({ value }) => value !== undefined);
    // Copied, because two changes must not share an object.
    for (const { path, value } of sets) put(item, path, sets.length > 1 && value !== undefined ? copyOf(value) : value);
    const removed = found.filter(({ value }) => value === undefined).map(({ path }) => path);
    for (const path of removed.toSorted((a, b) => (indexOf(b) || 0) - (indexOf(a) || 0))) put(item, path, undefined);
    return sets.map(({ path }) => String(path[0]));
  };
  return { run, used };
};
