import type { Table } from './engine/client.ts';
import * as nouns from './nouns.ts';

type Nouns = typeof nouns;
/** Everything that is read from the table and written to it, by noun. */
export type Store = { [N in keyof Nouns]: ReturnType<Nouns[N]> };

export const store = (table: Table): Store =>
  Object.fromEntries(Object.entries(nouns).map(([noun, make]) => [noun, make(table)])) as Store;

/** Every call of the store, by its name. */
export type StoreCall = { [N in keyof Store]: `${N}.${keyof Store[N] & string}` }[keyof Store];

type NounOf<C> = C extends `${infer N}.${string}` ? N : never;
type CallsOf<C, N extends string> = C extends `${N}.${infer M}` ? M : never;
/** As much of the store as makes these calls. Without `in` the compiler takes it for a store that makes more of them. */
export type StoreOf<in C extends StoreCall> = {
  [N in NounOf<C> & keyof Store]: Pick<Store[N], CallsOf<C, N> & keyof Store[N]>;
};

/** A store that can make these calls, and no others. */
export const storeOf = <C extends StoreCall>(table: Table, calls: readonly C[]): StoreOf<C> => {
  const whole: Record<string, Record<string, unknown>> = store(table);
  const kept: typeof whole = {};
  for (const call of calls) {
    const [noun = '', name = ''] = call.split('.');
    kept[noun] = { ...kept[noun], [name]: whole[noun]?.[name] };
  }
  return kept as StoreOf<C>;
};
