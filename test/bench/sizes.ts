import type { Table } from '#shared/store/engine/client.ts';
import type { Item } from '#shared/store/engine/request.ts';

const bytesOfNumber = (value: number): number => {
  const digits = String(Math.abs(value))
    .replace(/\.|e.*$/g, '')
    .replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + 1 + (value < 0 ? 1 : 0);
};

/**
 * Returns a value's size in bytes as DynamoDB counts it.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return bytesOfNumber(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + 1 + bytesOf(item), 3);
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + 1 + Buffer.byteLength(name) + bytesOf(member), 3);
};

/** Returns an item's size in bytes, excluding the storage overhead. */
const bytesOfItem = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value), 0);

/**
 * The storage overhead (bytes) per item, in the table and in an index.
 * https://aws.amazon.com/dynamodb/pricing/on-demand/
 */
const ITEM_OVERHEAD = 100;
const inIndex = ({ pk, sk, ...rest }: Item, [partition, sort]: readonly [string, string]): number =>
  rest[partition] === undefined
    ? 0
    : ITEM_OVERHEAD + bytesOfItem({ pk, sk, [partition]: rest[partition], [sort]: rest[sort] });

/** Returns the bytes in the table and its indexes for all items in a partition whose sort keys begin with `start`. */
export const bytesKept = async (table: Table, pk: string, start: string): Promise<number> => {
  const { items } = await table.query({ pk, beginsWith: start });
  return items
    .map(
      (item) =>
        ITEM_OVERHEAD + bytesOfItem(item) + inIndex(item, ['listPk', 'listSk']) + inIndex(item, ['duePk', 'dueAt']),
    )
    .reduce((sum, bytes) => sum + bytes, 0);
};
