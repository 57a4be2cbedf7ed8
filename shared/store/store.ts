import type { Table } from './engine/client.ts';
import * as nouns from './nouns.ts';
import { storeFrom } from './store-from.ts';

export type Nouns = typeof nouns;
/** Everything that is read from the table and written to it, by noun. */
export type Store = { [N in keyof Nouns]: ReturnType<Nouns[N]> };

export const store = (table: Table): Store => storeFrom(nouns, table);

/** Every call of the store, by its name. */
export type StoreCall = { [N in keyof Store]: `${N}.${keyof Store[N] & string}` }[keyof Store];

type NounOf<C> = C extends `${infer N}.${string}` ? N : never;
type CallsOf<C, N extends string> = C extends `${N}.${infer M}` ? M : never;
/** As much of the store as makes these calls. Without `in` the compiler takes it for a store that makes more of them. */
export type StoreOf<in C extends StoreCall> = {
  [N in NounOf<C> & keyof Store]: Pick<Store[N], CallsOf<C, N> & keyof Store[N]>;
};
