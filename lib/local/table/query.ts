import type { IndexName } from '#shared/store/table.ts';
import { invalid } from './errors.ts';
import { cachedParser, listOf, namesOf, type Path, type Reader, valueAt } from './expression.ts';
import { indexNames, keyNames } from './keys.ts';
import { boundOf, EXPRESSIONS, type Input, optionsOf } from './request.ts';
import type { Range, Rows } from './rows.ts';
import { type Document, documentOf } from './values.ts';

const OPTIONS = [
  ...EXPRESSIONS,
  'IndexName',
  'KeyConditionExpression',
  'ScanIndexForward',
  'Limit',
  'ExclusiveStartKey',
  'ConsistentRead',
  'ProjectionExpression',
];

/** Parses `partition = :value`, optionally with a sort key between two values or with a prefix. */
const parseKeys = cachedParser((reader: Reader) => {
  const partition = reader.path();
  reader.expect('=');
  const value = reader.value();
  if (!reader.accept('AND')) return { partition, value, sort: null, start: null, bounds: null };
  if (reader.call() === 'begins_with') {
    reader.expect('BEGINS_WITH');
    reader.expect('(');
    const sort = reader.path();
    reader.expect(',');
    const start = reader.value();
    reader.expect(')');
    return { partition, value, sort, start, bounds: null };
  }
  const sort = reader.path();
  reader.expect('BETWEEN');
  const low = reader.value();
  reader.expect('AND');
  const high = reader.value();
  return { partition, value, sort, start: null, bounds: { low, high } };
});

const parseProjection = cachedParser((reader: Reader): Path[] => listOf(reader, () => reader.path()));

/** Returns the first string, in byte order, after all strings with a prefix. Null if there is none. */
const endOfPrefix = (prefix: string): string | null => {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Surrogates are not characters.
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
};

const textOf = (value: unknown): string => {
  if (typeof value !== 'string' || value === '')
    throw invalid('a key in KeyConditionExpression must be a string that is not empty');
  return value;
};

type KeyCondition = ReturnType<typeof parseKeys>['run'];
/** Returns the sort key bounds set by a condition. `valueFor` returns a placeholder's value. */
const boundsOf = (
  { start, bounds }: Pick<KeyCondition, 'start' | 'bounds'>,
  valueFor: (name: string) => string,
): Pick<Range, 'low' | 'high' | 'isClosed'> => {
  if (start) return { low: valueFor(start), high: endOfPrefix(valueFor(start)), isClosed: false };
  if (!bounds) return { low: '', high: null, isClosed: false };
  const low = valueFor(bounds.low);
  const high = valueFor(bounds.high);
  if (Buffer.compare(Buffer.from(low), Buffer.from(high)) > 0)
    throw invalid('The BETWEEN operator requires upper bound to be greater than or equal to lower bound');
  return { low, high, isClosed: true };
};

const rangeOf = (input: Input, index: IndexName | undefined): { range: Range; paths: Path[] | undefined } => {
  const condition = parseKeys(String(input.KeyConditionExpression));
  const projection =
    input.ProjectionExpression === undefined ? null : parseProjection(String(input.ProjectionExpression));
  const bound = boundOf(input, projection ? [condition, projection] : [condition]);
  const { partition, value, sort, start, bounds } = condition.run;
  const [hash, sortKey] = keyNames(index);
  const nameOf = (path: Path): string => namesOf(path, bound).join('.');
  if (nameOf(partition) !== hash || (sort && nameOf(sort) !== sortKey))
    throw invalid('Query condition missed key schema element');
  const valueFor = (name: string) => textOf(bound.values[name]);
  const startKey = input.ExclusiveStartKey === undefined ? null : documentOf(Object(input.ExclusiveStartKey));
  const positionKeys = index ? [sortKey, 'pk', 'sk'] : ['sk'];
  const range = {
    index,
    ...boundsOf({ start, bounds }, valueFor),
    partition: valueFor(value),
    newestFirst: input.ScanIndexForward === false,
    after: startKey && positionKeys.map((name) => textOf(startKey[name])),
  };
  if (startKey && startKey[hash] !== range.partition)
    throw invalid('The provided starting key is outside query boundaries');
  return { range, paths: projection?.run.map((path) => namesOf(path, bound)) };
};

/** Returns the parts of an item selected by a projection. */
const projected = (item: Document, paths: readonly Path[]): Document => {
  const found: Document = {};
  for (const path of paths) {
    const value = valueAt(item, path);
    if (value === undefined) continue;
    let into = found;
    for (const step of path.slice(0, -1)) {
      const inner = (into[String(step)] ?? {}) as Document;
      into[String(step)] = inner;
      into = inner;
    }
    into[String(path.at(-1))] = value;
  }
  return found;
};

const keysIn = ({ pk, sk }: Document): Document => ({ pk: pk ?? null, sk: sk ?? null });

export const query = (rows: Rows, input: Input) => {
  const { IndexName, ConsistentRead, Limit, ...options } = optionsOf(input, OPTIONS);
  const index = indexNames.find((name) => name === IndexName);
  if (IndexName !== undefined && !index) throw invalid(`The table does not have the specified index: ${IndexName}`);
  if (index && ConsistentRead) throw invalid('Consistent reads are not supported on global secondary indexes');
  if (Limit !== undefined && !(Number.isInteger(Limit) && Number(Limit) >= 1)) throw invalid('Limit must be 1 or more');
  const { range, paths } = rangeOf(options, index);
  const page = rows.page(range, Limit === undefined ? undefined : Number(Limit));
  const found = page.rows.map(({ item }) => (paths ? projected(item, paths) : item));
  const end = page.isCutOff ? page.rows.at(-1)?.item : undefined;
  const last = end && (index ? end : keysIn(end));
  return { Items: found, Count: found.length, ScannedCount: found.length, ...(last && { LastEvaluatedKey: last }) };
};
