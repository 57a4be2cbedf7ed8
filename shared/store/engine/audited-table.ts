import { AsyncLocalStorage } from 'node:async_hooks';
import type { Key } from '../key.ts';
import type { Table } from './client.ts';
import type { Item } from './request.ts';

/** The table methods that write. */
export type Writes = Pick<Table, 'update' | 'write'>;
/** What a request does to the table. `noteRead` gets the items it reads by key. */
export type Recorder = Writes & { noteRead: (item: Item & Key) => void };
const calls = new AsyncLocalStorage<Recorder>();

/** Returns a table whose writes go through the `withRecorder` recorder while one is active. */
export const auditedTable = (table: Table): Table => ({
  ...table,
  get: async <T extends Item>(key: Key) => {
    const found = await table.get<T>(key);
    if (found) calls.getStore()?.noteRead(found);
    return found;
  },
  update: (...args) => (calls.getStore() ?? table).update(...args),
  write: (...args) => (calls.getStore() ?? table).write(...args),
});

/** Runs a function whose reads and writes go through `recorder`. */
export const withRecorder = <T>(recorder: Recorder, run: () => Promise<T>): Promise<T> => calls.run(recorder, run);
