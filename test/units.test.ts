import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { absent } from '../shared/store/engine/request.ts';
import { createLedger, startEngine } from './bench/meter.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

// The cost tests rely on the capacity reported by the engine. These tests check the engine against the published rules.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
describe('the embedded engine', () => {
  const ledger = createLedger();
  let engine: Awaited<ReturnType<typeof startEngine>>;
  beforeAll(async () => {
    engine = await startEngine(ledger);
  });
  afterAll(() => engine.stop());

  const costOf = async (run: () => Promise<unknown>) => {
    ledger.clear();
    await run();
    return ledger.total();
  };
  const key = (sk: string) => ({ pk: 'units', sk });
  /** An item of exactly `bytes` bytes, including key names and values and one more attribute. */
  const sized = (sk: string, bytes: number) => ({ ...key(sk), v: 'x'.repeat(bytes - 10 - sk.length) });
  const due = (sk: string, time: string) => ({ ...key(sk), duePk: 'DUE#0', dueAt: time });

  test('reports 1 unit per 4 KB for consistent reads, and half for eventually consistent ones', async () => {
    const { table } = engine;
    await table.write({ put: sized('small', 100) });
    await table.write({ put: sized('4', 4_096) });
    await table.write({ put: sized('5', 4_097) });
    const read = (sk: string, consistent: boolean) =>
      costOf(() => (consistent ? table.get(key(sk)) : table.getEventual(key(sk))));
    expect(await read('small', true)).toEqual({ read: 1, write: 0 });
    expect(await read('small', false)).toEqual({ read: 0.5, write: 0 });
    expect(await read('4', true)).toEqual({ read: 1, write: 0 });
    expect(await read('5', true)).toEqual({ read: 2, write: 0 });
    expect(await read('5', false)).toEqual({ read: 1, write: 0 });
    expect(await read('none', true)).toEqual({ read: 1, write: 0 });
    // A missing item is read again, consistently.
    expect(await read('none', false)).toEqual({ read: 1.5, write: 0 });
  });

  test('reports query units by total item size, and batch read units by item', async () => {
    const { table } = engine;
    const query = (pk: string, consistent?: boolean) =>
      costOf(() => table.query({ pk, ...(consistent !== undefined && { consistent }) }));
    expect(await query('units')).toEqual({ read: 3, write: 0 });
    expect(await query('units', false)).toEqual({ read: 1.5, write: 0 });
    expect(await query('nobody')).toEqual({ read: 1, write: 0 });
    const keys = [key('small'), key('5'), key('none')];
    expect(await costOf(() => table.getAll(keys))).toEqual({ read: 4, write: 0 });
    expect(await costOf(() => table.getAllEventual(keys))).toEqual({ read: 2 + 1, write: 0 });
  });

  test('reports 1 unit per KB written, by the larger of the old and new item', async () => {
    const { table } = engine;
    expect(await costOf(() => table.write({ put: sized('kb', 1_024) }))).toEqual({ read: 0, write: 1 });
    expect(await costOf(() => table.write({ put: sized('kb', 1_025) }))).toEqual({ read: 0, write: 2 });
    expect(await costOf(() => table.write({ put: sized('kb', 100) }))).toEqual({ read: 0, write: 2 });
    expect(await costOf(() => table.write({ remove: key('kb') }))).toEqual({ read: 0, write: 1 });
    expect(await costOf(() => table.write({ remove: key('none') }))).toEqual({ read: 0, write: 1 });
  });

  test('reports 1 more unit to enter or leave an index, and 2 to move within it', async () => {
    const { table } = engine;
    const put = (item: object) => costOf(() => table.write({ put: { ...key('due'), ...item } }));
    expect(await put(due('due', '1'))).toEqual({ read: 0, write: 2 });
    expect(await put(due('due', '2'))).toEqual({ read: 0, write: 3 });
    expect(await put({ ...due('due', '2'), more: 1 })).toEqual({ read: 0, write: 1 });
    expect(await put({})).toEqual({ read: 0, write: 2 });
  });

  test('reports twice the units for each write and check in a transaction', async () => {
    const { table } = engine;
    const transaction = () =>
      table.write(
        { put: key('t1') },
        { put: due('t2', '1') },
        { check: key('5'), where: { ConditionExpression: 'attribute_exists(pk)' } },
      );
    expect(await costOf(transaction)).toEqual({ read: 0, write: 2 + 3 + 10 });
  });

  test('reports nothing for a failed condition, so the ledger adds 1 write unit', async () => {
    const { table } = engine;
    const again = () => engine.plain.write({ put: key('small'), where: absent });
    expect(await costOf(again)).toEqual({ read: 0, write: 0 });
    expect(await costOf(() => table.write({ put: key('small'), where: absent }))).toEqual({ read: 0, write: 1 });
  });
});

describe('requests to the app API', () => {
  let metered: Metered;
  let home: Awaited<ReturnType<Metered['furnish']>>;
  beforeAll(async () => {
    metered = await createMetered();
    home = await metered.furnish('maple');
    await home.addRules(1, [await home.addWebhook()]);
  });
  afterAll(() => metered.stop());

  const costOfGet = (path: string) =>
    metered.costOf(1_000, async () => expect((await home.client.call('GET', path)).status).toBe(200));

  test('GET /users/me with a session costs 3 read units and no write units', async () => {
    expect(await costOfGet('/users/me'), metered.ledger.text()).toEqual({ read: 3, write: 0 });
  });

  test('GET /sensors/{sensorId} with a session costs 3 read units and no write units', async () => {
    expect(await costOfGet(`/sensors/${home.sensorId}`), metered.ledger.text()).toEqual({ read: 3, write: 0 });
  });

  test('GET /rules/{ruleId} with a session costs 3 read units and no write units', async () => {
    const path = `/rules/${home.customerId * 10_000 + 1}`;
    expect(await costOfGet(path), metered.ledger.text()).toEqual({ read: 3, write: 0 });
  });

  test('GET /users/me with an access token costs 1 write unit for the rate limit, and 1 a minute for its use', async () => {
    const { token } = await home.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'dashboard' });
    const client = home.client.as(token);
    const cost = () => metered.costOf(1_000, () => client.ok('GET', '/users/me'));
    expect(await cost(), metered.ledger.text()).toEqual({ read: 3, write: 2 });
    expect(await cost(), metered.ledger.text()).toEqual({ read: 3, write: 1 });
  });
});
