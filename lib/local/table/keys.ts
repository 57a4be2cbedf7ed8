import { type IndexName, tableDesign } from '#shared/store/table.ts';
import { invalid, invalidItem } from './errors.ts';
import { type Document, documentOf, sizeOf } from './values.ts';

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_BYTES = { partitionKey: 2_048, sortKey: 1_024 } as const;
const MAX_ITEM_BYTES = 400 * 1_024;

export const indexNames = Object.keys(tableDesign.indexes) as IndexName[];
/** Returns the names of the two keys in the table or an index. */
export const keyNames = (index?: IndexName): [string, string] => {
  const { partitionKey, sortKey } = index ? tableDesign.indexes[index] : tableDesign;
  return [partitionKey, sortKey];
};

const checkKey = (document: Document, kind: keyof typeof MAX_BYTES, name: string, errorOf = invalid): void => {
  const value = document[name];
  if (typeof value !== 'string')
    throw errorOf(`One or more parameter values were invalid: Type mismatch for key ${name}`);
  if (value === '') throw errorOf(`One or more parameter values are not valid: the key ${name} must not be empty`);
  if (Buffer.byteLength(value) > MAX_BYTES[kind])
    throw errorOf(`Size of ${name} has exceeded the maximum size limit of ${MAX_BYTES[kind]} bytes`);
};

const [pk, sk] = keyNames();
/** Checks and returns an item's primary key. The input must contain nothing else. */
export const primaryKeyOf = (input: unknown): { pk: string; sk: string } => {
  const key = documentOf(Object(input));
  checkKey(key, 'partitionKey', pk);
  checkKey(key, 'sortKey', sk);
  if (Object.keys(key).length !== 2) throw invalid('The provided key element does not match the schema');
  return { pk: String(key[pk]), sk: String(key[sk]) };
};

/** Returns an item's size (bytes). Throws if DynamoDB would not store the item. */
export const checkItem = (item: Document): number => {
  checkKey(item, 'partitionKey', pk);
  checkKey(item, 'sortKey', sk);
  for (const index of indexNames) {
    const [partition, sort] = keyNames(index);
    if (item[partition] !== undefined) checkKey(item, 'partitionKey', partition, invalidItem);
    if (item[sort] !== undefined) checkKey(item, 'sortKey', sort, invalidItem);
  }
  const size = sizeOf(item);
  if (size > MAX_ITEM_BYTES) throw invalidItem('Item size has exceeded the maximum allowed size');
  return size;
};
