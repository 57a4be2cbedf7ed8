import type { Table } from './engine/client.ts';
import * as nouns from './nouns.ts';
import { storeFrom } from './store-from.ts';

export type Nouns = typeof nouns;
/** All reads from and writes to the table, by noun. */
export type Store = { [N in keyof Nouns]: ReturnType<Nouns[N]> };

export const store = (table: Table): Store => storeFrom(nouns, table);

/** The names of all store calls. */
export type StoreCall = { [N in keyof Store]: `${N}.${keyof Store[N] & string}` }[keyof Store];

type NounOf<C> = C extends `${infer N}.${string}` ? N : never;
type CallsOf<C, N extends string> = C extends `${N}.${infer M}` ? M : never;
/** The part of the store with these calls. Without `in`, the compiler would accept it where more calls are needed. */
export type StoreOf<in C extends StoreCall> = {
  [N in NounOf<C> & keyof Store]: Pick<Store[N], CallsOf<C, N> & keyof Store[N]>;
};
