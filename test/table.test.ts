import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTableEngine, type TableEngine } from '../lib/local/engines.ts';
import { clientConfig, ensureTable } from '../lib/local/table.ts';
import { derivedUlid, timeOrderedId } from '../shared/domain/ids.ts';
import { accessPatterns, type StoreCall } from '../shared/store/access-patterns.ts';
import { createTable, documentClient, type Table } from '../shared/store/client.ts';
import type { Key } from '../shared/store/key.ts';
import { type Store, store } from '../shared/store/store.ts';
import { items, lists } from '../shared/store/table.ts';

const root = new URL('..', import.meta.url).pathname;
const files = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const);
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** As much of a thing as the store looks at. */
const some = (fields: object) => fields as never;

const [customerId, botId, ruleId, userId] = [1, 2, 3, 4];
const now = 1_800_000_000_000;
const hitId = timeOrderedId(now, 0);
const [webhookId, sensorId, messageId] = [uuid(1), 'id_sensor', uuid(2)];
const user = some({
  ...{ id: userId, customerId, username: 'nurse', accountKey: 'accountKey' },
  ...{ permissions: [], isAdmin: false, canLogin: true },
});
const reset = { accountKey: 'accountKey', epoch: 1, expires: now };
const token = some({ id: messageId, expires: null, createDate: now });
const device = { id: sensorId, manufacturer: 'maker_a', hardwareId: '0123456789AB' } as const;
const nobodys = some({ ...device, customerId: null });
const sensor = some({ ...device, customerId, groupId: 0 });
const message = some({ customerId, sensorId, uuid: messageId, id: 7, receiveDate: now });
const deliveryId = (n: number) => derivedUlid(now, n);
const address = { customerId, webhookId, id: deliveryId(1) };
const other = { ...address, id: deliveryId(2) };
const waiting = { createDate: now, nextAttempt: now, state: 'pending', attempts: 0, sendTryTimes: [] };
const webhook = some({ id: webhookId, customerId, botId, format: 'full' as const, isEnabled: true });
const rule = some({
  ...{ id: ruleId, customerId, sensorId, sensorGroupId: null, situation: 'fall_detected' },
  recipients: [{ botId, webhookId }],
});
const hit = some({ id: hitId, ruleId, sensorEventId: messageId, createDate: now, messages: [{}] });
const state = some({ version: 0, lastSeen: 0, decision: null });

const collect = async <T>(pages: AsyncIterable<T[]>) => {
  const all: T[] = [];
  for await (const page of pages) all.push(...page);
  return all;
};

/** Each call of the store once, in an order in which each finds what it needs. */
const examples: [StoreCall, (store: Store) => unknown][] = [
  ['limits.nextNumber', ({ limits }) => limits.nextNumber('accounts')],
  ['due.beat', ({ due }) => due.beat(now)],
  ['due.upSince', ({ due }) => due.upSince(now)],
  ['limits.countCall', ({ limits }) => limits.countCall('account:a', now)],
  ['limits.countFailure', ({ limits }) => limits.countFailure('login:a', 60, now)],
  ['limits.secondsToWait', ({ limits }) => limits.secondsToWait('login:a', 1, 60, now)],
  ['customers.create', ({ customers }) => customers.create(some({ id: customerId }))],
  ['customers.get', ({ customers }) => customers.get(customerId)],
  ['customers.list', ({ customers }) => customers.list()],
  ['users.create', ({ users }) => users.create(user, 'accountKey', 'hash')],
  ['users.get', ({ users }) => users.get(customerId, userId)],
  ['users.list', ({ users }) => users.list(customerId)],
  ['sessions.start', ({ sessions }) => sessions.start('h', some({ expires: now }))],
  ['sessions.session', ({ sessions }) => sessions.session('h')],
  ['sessions.account', ({ sessions }) => sessions.account('accountKey')],
  ['sessions.accountKeyOf', ({ sessions }) => sessions.accountKeyOf('nurse')],
  ['sessions.passwordHash', ({ sessions }) => sessions.passwordHash('accountKey')],
  ['sessions.rememberAddress', ({ sessions }) => sessions.rememberAddress('accountKey', '10.0.0.1', now)],
  ['sessions.isKnownAddress', ({ sessions }) => sessions.isKnownAddress('accountKey', '10.0.0.1')],
  ['sessions.end', ({ sessions }) => sessions.end('h')],
  ['sessions.rehash', ({ sessions }) => sessions.rehash('accountKey', 'hash', 'rehashed')],
  ['sessions.setPassword', ({ sessions }) => sessions.setPassword('accountKey', 'rehashed', 'new')],
  ['bots.create', ({ bots }) => bots.create(some({ id: botId, customerId }))],
  ['bots.get', ({ bots }) => bots.get(customerId, botId)],
  ['bots.getAll', ({ bots }) => bots.getAll(customerId, [botId])],
  ['bots.list', ({ bots }) => bots.list(customerId)],
  ['webhooks.create', ({ webhooks }) => webhooks.create(webhook)],
  ['webhooks.get', ({ webhooks }) => webhooks.get(customerId, webhookId)],
  ['webhooks.getAll', ({ webhooks }) => webhooks.getAll(customerId, [webhookId])],
  ['webhooks.list', ({ webhooks }) => webhooks.list(customerId)],
  ['webhooks.recordFailure', ({ webhooks }) => webhooks.recordFailure(webhook, now)],
  ['webhooks.recordSuccess', ({ webhooks }) => webhooks.recordSuccess(webhook, now)],
  ['webhooks.disable', ({ webhooks }) => webhooks.disable(webhook, 'gone')],
  ['provisioning.put', ({ provisioning }) => provisioning.put('h', some({}))],
  ['provisioning.byHash', ({ provisioning }) => provisioning.byHash('h')],
  ['sensors.register', ({ sensors }) => sensors.register(nobodys, 'd1', { hash: 'p1', expires: now })],
  ['sensors.renew', ({ sensors }) => sensors.renew(nobodys, 'd2', { hash: 'p2', expires: now }, 2)],
  ['sensors.pairing', ({ sensors }) => sensors.pairing('p2')],
  ['sensors.link', ({ sensors }) => sensors.link(nobodys, customerId, 'p2', now)],
  ['sensors.usePairing', ({ sensors }) => sensors.usePairing('p2')],
  ['sensors.get', ({ sensors }) => sensors.get(customerId, sensorId)],
  ['sensors.list', ({ sensors }) => sensors.list(customerId)],
  ['sensors.deviceOf', ({ sensors }) => sensors.deviceOf('d2')],
  ['sensors.idOfHardware', ({ sensors }) => sensors.idOfHardware(device.manufacturer, device.hardwareId)],
  ['sensors.setActive', ({ sensors }) => sensors.setActive(customerId, sensorId, true, now)],
  ['customers.homeOf', ({ customers }) => customers.homeOf('sensor', sensorId)],
  ['rules.create', ({ rules }) => rules.create(rule)],
  ['rules.get', ({ rules }) => rules.get(customerId, ruleId)],
  ['rules.list', ({ rules }) => rules.list(customerId)],
  ['rules.forSituation', ({ rules }) => rules.forSituation(customerId, sensor, 'fall_detected')],
  ['events.keep', ({ events }) => events.keep(message)],
  ['deliveries.create', ({ deliveries }) => deliveries.create(some({ ...address, ...waiting }))],
  ['deliveries.create', ({ deliveries }) => deliveries.create(some({ ...other, ...waiting }))],
  ['due.waiting', ({ due }) => collect(due.waiting(now + 60_000))],
  ['events.get', ({ events }) => events.get(customerId, sensorId, messageId)],
  ['events.decide', ({ events }) => events.decide(customerId, sensorId, 0, state, null)],
  ['events.state', ({ events }) => events.state(customerId, sensorId)],
  ['events.watch', ({ events }) => events.watch(customerId, sensorId, some({ version: 1 }), now)],
  ['events.heard', ({ events }) => events.heard(customerId, sensorId, now)],
  ['events.finish', ({ events }) => events.finish(message, some({ id: 7 }))],
  ['events.add', ({ events }) => events.add(some({ customerId, sensorId, uuid: uuid(3), id: 8, receiveDate: now }))],
  ['ruleHits.create', ({ ruleHits }) => ruleHits.create(customerId, hit)],
  ['ruleHits.get', ({ ruleHits }) => ruleHits.get(customerId, hitId)],
  ['ruleHits.list', ({ ruleHits }) => ruleHits.list(customerId, now)],
  ['ruleHits.report', ({ ruleHits }) => ruleHits.report(customerId, hitId, 0, [now], true, now)],
  ['deliveries.get', ({ deliveries }) => deliveries.get(customerId, webhookId, address.id)],
  ['deliveries.postpone', ({ deliveries }) => deliveries.postpone(address, now + 1)],
  ['deliveries.claim', ({ deliveries }) => deliveries.claim(address, now + 1)],
  [
    'deliveries.record',
    ({ deliveries }) => deliveries.record(some({ ...address, attempts: 1 }), { state: 'delivered' }, now, true),
  ],
  ['deliveries.shelve', ({ deliveries }) => deliveries.shelve(other, 'held', 'webhook_disabled', now)],
  ['accessTokens.create', ({ accessTokens }) => accessTokens.create('accountKey', 't1', token, now)],
  ['accessTokens.noteUse', ({ accessTokens }) => accessTokens.noteUse('t1', now, now)],
  ['accessTokens.list', ({ accessTokens }) => accessTokens.list('accountKey', now)],
  ['accessTokens.remove', ({ accessTokens }) => accessTokens.remove('accountKey', messageId, now)],
  ['accessTokens.create', ({ accessTokens }) => accessTokens.create('accountKey', 't2', token, now)],
  ['accessTokens.removeAll', ({ accessTokens }) => accessTokens.removeAll('accountKey')],
  ['resets.create', ({ resets }) => resets.create('r', reset)],
  ['resets.byHash', ({ resets }) => resets.byHash('r')],
  ['resets.use', ({ resets }) => resets.use('r', reset, 'hash')],
  ['users.setProfile', ({ users }) => users.setProfile(user, some({ locale: 'de' }), now)],
  ['users.setAccess', ({ users }) => users.setAccess(user, some({ canLogin: false }), now)],
  ['users.remove', ({ users }) => users.remove(user)],
  ['provisioning.remove', ({ provisioning }) => provisioning.remove('h')],
];

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
      const told = { call, indexes: [index], kinds: [...keys].sort(), read, write };
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
    'provisioningKey',
  ];

  test('everything of a customer has a key that starts with the customer', () => {
    const others = kinds.filter(([, { pk }]) => !/^C#\{customerId\}(#|$)/.test(pk.template)).map(([kind]) => kind);
    expect(others).toEqual(notOfCustomers);
    expect(lists.eventsOfSensor.template).toMatch(/^C#\{customerId\}#/);
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
