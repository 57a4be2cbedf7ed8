import type { Table } from './engine/client.ts';

type Nouns = Readonly<Record<string, (table: Table) => object>>;

/** Creates a store consisting of these nouns. */
export const storeFrom = <N extends Nouns>(nouns: N, table: Table): { [K in keyof N]: ReturnType<N[K]> } =>
  Object.fromEntries(Object.entries(nouns).map(([noun, create]) => [noun, create(table)])) as {
    [K in keyof N]: ReturnType<N[K]>;
  };
