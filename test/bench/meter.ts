import { AsyncLocalStorage } from 'node:async_hooks';
import { clientConfig, ensureTable } from '#lib/local/table/endpoint.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { createTable, documentClient, type Meter, type Table } from '#shared/store/engine/client.ts';
import type { Item, Write } from '#shared/store/engine/request.ts';
import type { Key } from '#shared/store/key.ts';
import { items } from '#shared/store/table.ts';
import { startDynoxide } from '../fixtures/dynoxide.ts';

const TABLE = 'bench';

export type Units = { read: number; write: number };
type Line = Units & { calls: number };

const patterns = Object.entries(items).map(
  ([name, { template }]) => [name, new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^#]*')}$`)] as const,
);
const kindOf = ({ pk, sk }: Key): string => patterns.find(([, form]) => form.test(`${pk} / ${sk}`))?.[0] ?? 'item';
const partitionOf = (pk: string): string => pk.replaceAll(/(?<=#)\d+/g, '*');
const writeKey = (write: Write): Key =>
  'put' in write ? write.put : 'remove' in write ? write.remove : 'update' in write ? write.update : write.check;

/**
 * Creates a ledger that counts table units by call and item kind, such as `get session`. A write whose condition failed
 * reports no units here or in AWS, but costs as much as the current item. The ledger therefore adds one unit per item
 * (two in a transaction).
 */
export const createLedger = () => {
  const lines = new Map<string, Line>();
  const label = new AsyncLocalStorage<string>();
  const add = (name: string, { read, write }: Units): void => {
    const before = lines.get(name) ?? { calls: 0, read: 0, write: 0 };
    lines.set(name, { calls: before.calls + 1, read: before.read + read, write: before.write + write });
  };
  const meter: Meter = (call, units) => add(label.getStore() ?? call, units);

  const tagged = (table: Table): Table => ({
    get: <T extends Item>(key: Key, consistent?: boolean) =>
      label.run(`get ${kindOf(key)}`, () => table.get<T>(key, consistent)),
    getEventual: <T extends Item>(key: Key) =>
      label.run(`get ${kindOf(key)} (eventual)`, () => table.getEventual<T>(key)),
    getAll: <T extends Item>(keys: readonly Key[], consistent?: boolean) =>
      label.run(`getAll ${keys.slice(0, 1).map(kindOf)}`, () => table.getAll<T>(keys, consistent)),
    getAllEventual: <T extends Item>(keys: readonly Key[]) =>
      label.run(`getAll ${keys.slice(0, 1).map(kindOf)} (eventual)`, () => table.getAllEventual<T>(keys)),
    query: <T extends Item>(input: Parameters<Table['query']>[0]) =>
      label.run(`query ${partitionOf(input.pk)}`, () => table.query<T>(input)),
    queryAll: <T extends Item>(input: Parameters<Table['queryAll']>[0]) =>
      label.run(`query ${partitionOf(input.pk)}`, () => table.queryAll<T>(input)),
    update: async (key, changes) => {
      const name = `update ${kindOf(key)}`;
      const answer = await label.run(name, () => table.update(key, changes));
      if (answer === null) add(`${name}: condition failed`, { read: 0, write: 1 });
      return answer;
    },
    write: async (...writes) => {
      const name = `write ${writes.map((write) => kindOf(writeKey(write))).join(' + ')}`;
      const failed = await label.run(name, () => table.write(...writes));
      const each = writes.length === 1 ? 1 : 2;
      if (failed) add(`${name}: condition failed`, { read: 0, write: each * writes.length });
      return failed;
    },
  });

  return {
    meter,
    tagged,
    wrap: (runtime: Runtime): Runtime => ({ ...runtime, table: tagged(runtime.table) }),
    clear: () => lines.clear(),
    lines: (): Record<string, Line> => Object.fromEntries([...lines].toSorted()),
    total: (): Units => {
      const all = [...lines.values()];
      return {
        read: all.reduce((sum, { read }) => sum + read, 0),
        write: all.reduce((sum, { write }) => sum + write, 0),
      };
    },
    /** Returns one line per kind of call, to be shown when a test fails. */
    text: (): string =>
      [...lines]
        .toSorted()
        .map(([name, { calls, read, write }]) => `${calls} x ${name}: ${read} read, ${write} write`)
        .join('\n'),
  };
};

type Ledger = ReturnType<typeof createLedger>;

/** Starts an engine with an empty table. `table` is metered per call, `plain` only in total. */
export const startEngine = async (ledger: Ledger) => {
  const engine = await startDynoxide();
  await ensureTable(engine.endpoint, TABLE);
  const client = documentClient(clientConfig(engine.endpoint));
  const plain = createTable(client, TABLE, ledger.meter);
  return {
    endpoint: engine.endpoint,
    plain,
    table: ledger.tagged(plain),
    stop: () => {
      client.destroy();
      return engine.stop();
    },
  };
};
