import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTableEngine, type TableEngine } from '../lib/local/engines.ts';
import { clientConfig, ensureTable } from '../lib/local/table.ts';
import { accessPatterns } from '../shared/store/access-patterns.ts';
import { createTable, documentClient, type Table } from '../shared/store/client.ts';
import type { Key } from '../shared/store/key.ts';
import { store } from '../shared/store/store.ts';
import { items, lists } from '../shared/store/table.ts';
import { examples } from './fixtures/store-calls.ts';

const root = new URL('..', import.meta.url).pathname;
const files = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const);
const kinds = Object.entries(items);
const kindOf = (key: Key): string[] => kinds.flatMap(([kind, item]) => (item.read(key) ? [kind] : []));
const isKey = (value: object): value is Key => 'pk' in value && 'sk' in value;

/** A store, and what it did with the table: indexes asked, kinds of items named or found, units consumed. */
const recorded = (endpoint: string) => {
  const seen = { indexes: new Set<string>(), kinds: new Set<string>(), read: 0, write: 0 };
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const kind of isKey(value) ? kindOf(value) : []) seen.kinds.add(kind);
    for (const one of Object.values(value)) note(one);
  };
  const client = documentClient(clientConfig(endpoint));
  const send = client.send.bind(client) as (command: { input: { IndexName?: string } }) => Promise<object>;
  const noting = async (command: { input: { IndexName?: string } }) => {
    seen.indexes.add(command.input.IndexName ?? 'table');
    note(command.input);
    const answer = await send(command);
    note(answer);
    return answer;
  };
  const table = createTable(Object.assign(client, { send: noting }) as never, 'design', (_, { read, write }) => {
    seen.read += read;
    seen.write += write;
  });
  return { store: store(table), seen };
};

describe('access patterns', () => {
  let engine: TableEngine;
  beforeAll(async () => {
    engine = await startTableEngine({ dataDir: ':memory:', onExit: () => {} });
    await ensureTable(engine.endpoint, 'design');
  });
  afterAll(async () => engine.stop());

  test('each tells the index, the keys and the units of its call', async () => {
    for (const [call, make] of examples) {
      const { store, seen } = recorded(engine.endpoint);
      await make(store);
      const { index, keys, read, write } = accessPatterns[call];
      const told = { call, indexes: index.split(', '), kinds: [...keys].sort(), read, write };
      expect({ call, ...seen, indexes: [...seen.indexes], kinds: [...seen.kinds].sort() }).toEqual(told);
    }
  });

  test('there is one for each call of the store, and an example of it', () => {
    const calls = Object.entries(store({} as Table)).flatMap(([noun, all]) =>
      Object.keys(all).map((name) => `${noun}.${name}`),
    );
    expect(Object.keys(accessPatterns).sort()).toEqual(calls.sort());
    expect([...new Set(examples.map(([call]) => call))].sort()).toEqual(calls.sort());
  });

  test('every file that reads or writes the table is part of the store', () => {
    const parts = files('shared/store').flatMap(
      ([, text]) => text.match(/(?<=^export const )\w+(Reads|Writes)\b/gm) ?? [],
    );
    const composed = readFileSync(join(root, 'shared/store/store.ts'), 'utf8');
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.filter((name) => !composed.includes(`: ${name}(table)`))).toEqual([]);
  });
});

describe('the table', () => {
  /** Found by what a caller brings: a secret, a name, an id without its customer. They point into a customer's keys. */
  const notOfCustomers = [
    ...['counter', 'heartbeat', 'rate', 'session', 'account', 'password', 'username', 'knownAddress'],
    ...['accessToken', 'reset', 'home', 'customer', 'hardware', 'device', 'deviceOfSensor', 'pairingCode'],
    ...['provisioningKey', 'listedKey', 'firmware', 'firmwareDefault', 'firmwarePins'],
  ];

  test('everything of a customer has a key that starts with the customer', () => {
    const others = kinds.filter(([, { pk }]) => !/^C#\{customerId\}(#|$)/.test(pk.template)).map(([kind]) => kind);
    expect(others).toEqual(notOfCustomers);
    const { byTime: _, byDelivery: __, ...partitions } = lists;
    for (const { template } of Object.values(partitions)) expect(template).toMatch(/^C#\{customerId\}#/);
  });

  test('no key is that of two kinds of items', () => {
    const values = { customerId: 1, sensorId: 's', webhookId: 'w', hash: 'h', accountKey: 'a', id: 1 };
    const filled = kinds.map(([, item]) => item(new Proxy(values, { get: (_, name) => `x${String(name)}` }) as never));
    expect(filled.map(kindOf)).toEqual(kinds.map(([kind]) => [kind]));
  });

  test('is never scanned, in code or by a right', () => {
    const scans = /\bScan\w*Command|\bdynamodb:(Scan|\*)|paginateScan|\bgrantRead(Write)?Data\b/;
    const all = ['bin', 'lib', 'functions', 'shared'].flatMap(files);
    expect(all.filter(([, text]) => scans.test(text)).map(([file]) => file)).toEqual([]);
    expect(scans.test("actions: ['dynamodb:Scan']") && scans.test('new ScanCommand({})')).toBe(true);
  });

  test('is described in shared/README.md as it is', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/docs.ts', '--check'], { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
