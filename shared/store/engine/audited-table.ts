import { AsyncLocalStorage } from 'node:async_hooks';
import type { Table } from './client.ts';

/** The writing half of a table. */
export type Writes = Pick<Table, 'update' | 'write'>;
const calls = new AsyncLocalStorage<Writes>();

/** Returns a table whose writes go through those of `writingBy` while that runs. */
export const auditedTable = (table: Table): Table => ({
  ...table,
  update: (...args) => (calls.getStore() ?? table).update(...args),
  write: (...args) => (calls.getStore() ?? table).write(...args),
});

/** Runs a function whose writes go through `writes`. */
export const withWriteMethods = <T>(writes: Writes, run: () => Promise<T>): Promise<T> => calls.run(writes, run);
