import { AsyncLocalStorage } from 'node:async_hooks';
import type { Table } from './client.ts';

/** The part of a table that changes something. */
export type Writes = Pick<Table, 'update' | 'write'>;
const calls = new AsyncLocalStorage<Writes>();

/** Makes a table whose writes amid a call of `writingBy` go that call's own way. */
export const notedTable = (table: Table): Table => ({
  ...table,
  update: (...given) => (calls.getStore() ?? table).update(...given),
  write: (...given) => (calls.getStore() ?? table).write(...given),
});

/** Runs a call that writes by `writes`. */
export const writingBy = <T>(writes: Writes, run: () => Promise<T>): Promise<T> => calls.run(writes, run);
