import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consumers } from '#functions/index.ts';
import { sweep } from '#functions/workers/sweep/contract.ts';
import { ensureTable } from '#lib/local/table/endpoint.ts';
import { type Access, accessesOf } from '#shared/store/access-pattern.ts';
import { accessPatterns } from '#shared/store/access-patterns.ts';
import { createTable, type Table } from '#shared/store/engine/client.ts';
import type { Key } from '#shared/store/key.ts';
import type { StoreCall } from '#shared/store/store.ts';
import { type Store, store } from '#shared/store/store.ts';
import { due, items, lists } from '#shared/store/table.ts';
import { type Dynoxide, dynoxideClient, startDynoxide } from '#test/fixtures/dynoxide.ts';
import { examples } from '#test/fixtures/store-calls.ts';
import { ways } from '#test/fixtures/store-cases.ts';
import { onEachRequest, type TableAccess } from '#test/fixtures/table-calls.ts';

const root = new URL('../../..', import.meta.url).pathname;
const files = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const);
const kinds = Object.entries(items);
const kindOf = (key: Key): string[] => kinds.flatMap(([kind, item]) => (item.read(key) ? [kind] : []));

/** Returns the template of a partition key. More than one would be a design mistake. */
const partitionsOf = (pk: string, parts: readonly { template: string }[]): string[] => [
  ...new Set(
    parts
      .map(({ template }) => template)
      .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^#]*')}$`).test(pk)),
  ),
];
const tables = Object.values(items).map(({ pk }) => pk);
/** Describes an access in the same form as a declared access. */
const describeMade = ({ action, index, pk, sk }: TableAccess): string => {
  const parts = index === null ? tables : { due: [due.pk], list: Object.values(lists).map((list) => list.pk) }[index];
  const keys = sk === undefined ? partitionsOf(pk, parts) : kindOf({ pk, sk }).map((kind) => templateOf(kind));
  return [action, index ?? 'table', ...keys].join(' ');
};
const describeDeclared = ({ action, index, partition, key }: Access): string =>
  [action, index ?? 'table', action === 'dynamodb:Query' ? partition : key].join(' ');
const templateOf = (kind: string): string => kinds.find(([name]) => name === kind)?.[1].template ?? '';

/** A store that records its accesses, the item kinds that queries find, and the units consumed. */
const recorded = (endpoint: string, name = 'design') => {
  const seen = { made: new Set<string>(), found: new Set<string>(), read: 0, write: 0 };
  const client = dynoxideClient(endpoint);
  onEachRequest(client, (accesses) => {
    for (const access of accesses) seen.made.add(describeMade(access));
    return undefined;
  });
  const send = client.send.bind(client) as (command: { input: object }) => Promise<{ Items?: Key[] }>;
  const recordingSend = async (command: { input: object }) => {
    const response = await send(command);
    const isIndex = 'IndexName' in command.input;
    for (const key of response.Items ?? []) if (!isIndex) for (const kind of kindOf(key)) seen.found.add(kind);
    return response;
  };
  const table = createTable(Object.assign(client, { send: recordingSend }) as never, name, (_, { read, write }) => {
    seen.read += read;
    seen.write += write;
  });
  return { store: store(table), table, seen };
};

describe('access patterns', () => {
  let engine: Dynoxide;
  beforeAll(async () => {
    engine = await startDynoxide();
    await ensureTable(engine.endpoint, 'design');
  });
  afterAll(async () => engine.stop());

  const made = new Map<string, Set<string>>();
  /** Runs a call and adds its accesses to those of all calls with the same name. */
  const make = async (call: StoreCall, run: (store: Store) => unknown, name?: string) => {
    const { store, seen } = recorded(engine.endpoint, name);
    await run(store);
    made.set(call, new Set([...(made.get(call) ?? []), ...seen.made]));
    return seen;
  };

  test("access patterns declare each call's units and the item kinds it finds", async () => {
    for (const [call, run, prepare] of examples) {
      await prepare?.(recorded(engine.endpoint).store);
      const { read, write, found } = await make(call, run);
      expect({ call, read, write }).toEqual({
        call,
        read: accessPatterns[call].read,
        write: accessPatterns[call].write,
      });
      const queried: readonly string[] = accessPatterns[call].does.query ?? [];
      expect({ call, undeclared: [...found].filter((kind) => !queried.includes(kind)) }).toEqual({
        call,
        undeclared: [],
      });
    }
  });

  test('access patterns declare exactly the table accesses of each call', async () => {
    for (const [call, run, prepare] of ways) {
      const { store, table } = recorded(engine.endpoint);
      await prepare?.(store, table);
      await make(call, run);
    }
    for (const [call, pattern] of Object.entries(accessPatterns)) {
      const declared = [...new Set(accessesOf(pattern).map(describeDeclared))].sort();
      expect({ call, does: [...(made.get(call) ?? [])].sort() }).toEqual({ call, does: declared });
    }
  });

  test('access patterns exist for each store call, with an example', () => {
    const calls = Object.entries(store({} as Table)).flatMap(([noun, methods]) =>
      Object.keys(methods).map((name) => `${noun}.${name}`),
    );
    expect(Object.keys(accessPatterns).sort()).toEqual(calls.sort());
    expect([...new Set(examples.map(([call]) => call))].sort()).toEqual(calls.sort());
  });

  test('access patterns cover every file that accesses the table, and nouns.ts lists these files', () => {
    const parts = files('shared/store').filter(([, text]) => /^(export )?const \w+(Reads|Writes)\b/m.test(text));
    const nouns = readFileSync(join(root, 'shared/store/nouns.ts'), 'utf8');
    expect(parts.length).toBeGreaterThan(20);
    const unnamed = parts.filter(([file]) => !nouns.includes(`'./${file}'`));
    expect(unnamed.map(([file]) => file)).toEqual([]);
  });
});

describe('the table', () => {
  /**
   * Items found by what a caller presents: a secret, a name, or an id without its customer. They lead to a customer's
   * keys.
   */
  const notOfCustomers = [
    'counter',
    'heartbeat',
    'rate',
    'session',
    'account',
    'password',
    'otp',
    'username',
    'knownAddress',
    'login',
    'accessToken',
    'oidcLogin',
    'idToken',
    'externalUser',
    'reset',
    'resetOfAccount',
    'owner',
    'listedCustomer',
    'dutyCheck',
    'changedCustomer',
    'erasure',
    'canaryHome',
    'canaryRound',
    'alarmSubscribers',
    'addressKey',
    'pushKey',
    'makerFeedback',
    'hardware',
    'device',
    'deviceOfSensor',
    'pairingCode',
    'provisioningKey',
    'listedKey',
    'firmware',
    'firmwareDefault',
    'firmwarePins',
  ];

  test("every key for a customer's item starts with that customer's id", () => {
    const others = kinds.filter(([, { pk }]) => !/^C#\{customerId\}(#|$)/.test(pk.template)).map(([kind]) => kind);
    expect(others).toEqual(notOfCustomers);
    for (const { pk } of Object.values(lists)) expect(pk.template).toMatch(/^C#\{customerId\}#/);
  });

  test('the partition shared by all customers holds only customer lists, never events or alarms', () => {
    const sharing = Object.entries(accessPatterns).filter(([, pattern]) =>
      accessesOf(pattern).some(({ partition }) => partition === items.listedCustomer.pk.template),
    );
    const calls = ['list', 'create', 'update', 'remove'].map((name) => `customers.${name}`);
    // The canary creates a customer only once, as does the first feedback to the manufacturer.
    expect(sharing.map(([call]) => call)).toEqual(['makerFeedback.furnish', ...calls, 'subjects.dropCustomer']);
    const using = [...consumers, sweep].flatMap(({ uses }) => uses as readonly string[]);
    expect(using).toContain('sensors.getWithContext');
    expect(using.filter((use) => calls.includes(use))).toEqual([]);
  });

  test('each item kind has keys that other kinds do not use', () => {
    const values = { customerId: 1, sensorId: 's', webhookId: 'w', hash: 'h', accountKey: 'a', id: 1 };
    const filled = kinds.map(([, item]) => item(new Proxy(values, { get: (_, name) => `x${String(name)}` }) as never));
    expect(filled.map(kindOf)).toEqual(kinds.map(([kind]) => [kind]));
  });

  test('neither code nor permissions allow table scans', () => {
    const scans = /\bScan\w*Command|\bdynamodb:(Scan|\*)|paginateScan|\bgrantRead(Write)?Data\b/;
    const sources = ['bin', 'lib', 'functions', 'shared'].flatMap(files);
    expect(sources.filter(([, text]) => scans.test(text)).map(([file]) => file)).toEqual([]);
    expect(scans.test("actions: ['dynamodb:Scan']") && scans.test('new ScanCommand({})')).toBe(true);
  });

  test('the table matches the description in shared/store/TABLE.md', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/run.ts', 'docs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
