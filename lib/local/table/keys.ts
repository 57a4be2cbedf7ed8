import { type IndexName, tableDesign } from '#shared/store/table.ts';
import { invalid, unfit } from './errors.ts';
import { type Document, documentOf, sizeOf } from './values.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MOST = { partitionKey: 2_048, sortKey: 1_024 } as const;
const LARGEST_ITEM = 400 * 1_024;

export const indexNames = Object.keys(tableDesign.indexes) as IndexName[];
/** The names of the two keys of the table, or of an index. */
export const keyNames = (index?: IndexName): [string, string] => {
  const { partitionKey, sortKey } = index ? tableDesign.indexes[index] : tableDesign;
  return [partitionKey, sortKey];
};

const checkKey = (document: Document, kind: keyof typeof MOST, name: string, wrong = invalid): void => {
  const value = document[name];
  if (typeof value !== 'string')
    throw wrong(`One or more parameter values were invalid: Type mismatch for key ${name}`);
  if (value === '') throw wrong(`One or more parameter values are not valid: the key ${name} must not be empty`);
  if (Buffer.byteLength(value) > MOST[kind])
    throw wrong(`Size of ${name} has exceeded the maximum size limit of ${MOST[kind]} bytes`);
};

const [pk, sk] = keyNames();
/** The key of an item, which must be one and nothing else. */
export const keyOf = (given: unknown): { pk: string; sk: string } => {
  const key = documentOf(Object(given));
  checkKey(key, 'partitionKey', pk);
  checkKey(key, 'sortKey', sk);
  if (Object.keys(key).length !== 2) throw invalid('The provided key element does not match the schema');
  return { pk: String(key[pk]), sk: String(key[sk]) };
};

/** Refuses an item that DynamoDB would not store, and gives its size in bytes. */
export const checkItem = (item: Document): number => {
  checkKey(item, 'partitionKey', pk);
  checkKey(item, 'sortKey', sk);
  for (const index of indexNames) {
    const [partition, sort] = keyNames(index);
    if (item[partition] !== undefined) checkKey(item, 'partitionKey', partition, unfit);
    if (item[sort] !== undefined) checkKey(item, 'sortKey', sort, unfit);
  }
  const size = sizeOf(item);
  if (size > LARGEST_ITEM) throw unfit('Item size has exceeded the maximum allowed size');
  return size;
};
