import type { Store } from './store.ts';
import type { IndexName, items } from './table.ts';

type ItemKind = keyof typeof items;

/** Every call of the store, by its name. */
export type StoreCall = { [N in keyof Store]: `${N}.${keyof Store[N] & string}` }[keyof Store];

export type AccessPattern = {
  question: string;
  index: 'table' | IndexName | 'list, table';
  /** Kinds of items whose keys the call uses. */
  keys: readonly ItemKind[];
  /** Units of one small example: items up to 1 KB, each named once. */
  read: number;
  write: number;
  /** What the units grow with. */
  per?: string;
};

/** A pattern of the table itself; an index is named beside it. */
export const pattern = (
  question: string,
  keys: readonly ItemKind[],
  read: number,
  write: number,
  per = '',
): AccessPattern => ({
  question,
  index: 'table',
  keys,
  read,
  write,
  ...(per && { per }),
});

/** What an eventually consistent read costs more when it finds nothing. */
export const orAbsent = '1 more when it is not found';
export const eachItem = 'for each item';
export const each4KB = 'for each 4 KB of them';
export const each8KB = 'for each 8 KB of them';
