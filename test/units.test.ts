import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../lib/local/clock.ts';
import type { Cloud } from '../lib/local/cloud.ts';
import { type Receiver, startReceiver } from '../lib/local/demo/receiver.ts';
import { absent } from '../shared/store/request.ts';
import { createLedger, type Ledger, startEngine } from './bench/meter.ts';
import { startTestCloud } from './fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from './fixtures/home.ts';

// What an answer costs is the engine's own word: this is where that word is checked against the published rules.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
describe('the embedded engine reports', () => {
  const ledger = createLedger();
  let engine: Awaited<ReturnType<typeof startEngine>>;
  beforeAll(async () => {
    engine = await startEngine(':memory:', ledger);
  });
  afterAll(() => engine.stop());

  const costOf = async (run: () => Promise<unknown>) => {
    ledger.clear();
    await run();
    return ledger.total();
  };
  const key = (sk: string) => ({ pk: 'units', sk });
  /** An item of exactly so many bytes: names and values of the keys, and of one more attribute. */
  const sized = (sk: string, bytes: number) => ({ ...key(sk), v: 'x'.repeat(bytes - 10 - sk.length) });
  const due = (sk: string, time: string) => ({ ...key(sk), duePk: 'DUE#0', dueAt: time });

  test('1 unit for each 4 KB of a consistent read, half of it for an eventual one, the least for nothing', async () => {
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
    // What is not found is asked for once more, consistently.
    expect(await read('none', false)).toEqual({ read: 1.5, write: 0 });
  });

  test('a query by the sum of its items, a batch of reads item by item', async () => {
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

  test('1 unit for each KB of a write, by the larger one of before and after', async () => {
    const { table } = engine;
    expect(await costOf(() => table.write({ put: sized('kb', 1_024) }))).toEqual({ read: 0, write: 1 });
    expect(await costOf(() => table.write({ put: sized('kb', 1_025) }))).toEqual({ read: 0, write: 2 });
    expect(await costOf(() => table.write({ put: sized('kb', 100) }))).toEqual({ read: 0, write: 2 });
    expect(await costOf(() => table.write({ remove: key('kb') }))).toEqual({ read: 0, write: 1 });
    expect(await costOf(() => table.write({ remove: key('none') }))).toEqual({ read: 0, write: 1 });
  });

  test('an index: 1 unit more to enter or leave it, 2 to move in it, none when its keys stay', async () => {
    const { table } = engine;
    const put = (item: object) => costOf(() => table.write({ put: { ...key('due'), ...item } }));
    expect(await put(due('due', '1'))).toEqual({ read: 0, write: 2 });
    expect(await put(due('due', '2'))).toEqual({ read: 0, write: 3 });
    expect(await put({ ...due('due', '2'), more: 1 })).toEqual({ read: 0, write: 1 });
    expect(await put({})).toEqual({ read: 0, write: 2 });
  });

  test('twice the units for each write and check of a transaction', async () => {
    const { table } = engine;
    const transaction = () =>
      table.write(
        { put: key('t1') },
        { put: due('t2', '1') },
        { check: key('5'), where: { ConditionExpression: 'attribute_exists(pk)' } },
      );
    expect(await costOf(transaction)).toEqual({ read: 0, write: 2 + 3 + 10 });
  });

  test('nothing for a failed condition, which costs a write: the ledger adds what is missing', async () => {
    const { table } = engine;
    const again = () => engine.plain.write({ put: key('small'), where: absent });
    expect(await costOf(again)).toEqual({ read: 0, write: 0 });
    expect(await costOf(() => table.write({ put: key('small'), where: absent }))).toEqual({ read: 0, write: 1 });
  });
});

describe('units of', () => {
  const ledger: Ledger = createLedger();
  let skipped = 0;
  const now = () => Date.now() + skipped;
  let cloud: Cloud;
  let receiver: Receiver;
  let home: Awaited<ReturnType<typeof createHome>>;
  let sensor: Awaited<ReturnType<typeof linkSensor>>;
  let ruleId: number;
  let sent = 0;

  /** One fall `afterMs` after the one before, until all is quiet; what it cost. */
  const fall = async (afterMs: number) => {
    skipped += afterMs;
    ledger.clear();
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', now()));
    await receiver.until(++sent);
    await cloud.idle();
    return ledger.total();
  };

  beforeAll(async () => {
    receiver = await startReceiver();
    cloud = await startTestCloud({
      // Nothing runs by the clock here: a sweep inside a measured fall would be counted with it.
      clock: { ...systemClock, now, after: (ms, run) => (ms < 1_000 ? systemClock.after(ms, run) : () => {}) },
      meter: ledger.meter,
      wrap: ledger.wrap,
      // Counting is on, and counts; nobody is to reach the limit here.
      environment: { RATE_LIMIT_PER_SECOND: '1000000' },
    });
    home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    sensor = await linkSensor(home.client);
    ruleId = (await createAlarm(home.client, receiver.url)).rule.id;
    // The first message of a sensor makes it active, which is an event of its own.
    await fall(0);
  });
  afterAll(async () => {
    await Promise.all([cloud.stop(), receiver.stop()]);
  });

  const costOfGet = async (path: string) => {
    ledger.clear();
    expect((await home.client.call('GET', path)).status).toBe(200);
    return ledger.total();
  };

  test('GET /users/me: 3 read and 1 write', async () => {
    expect(await costOfGet('/users/me'), ledger.text()).toEqual({ read: 3, write: 1 });
  });

  test('GET /sensors/{sensorId}: 3 read and 1 write', async () => {
    expect(await costOfGet(`/sensors/${sensor.sensorId}`), ledger.text()).toEqual({ read: 3, write: 1 });
  });

  test('GET /rules/{ruleId}: 3 read and 1 write', async () => {
    expect(await costOfGet(`/rules/${ruleId}`), ledger.text()).toEqual({ read: 3, write: 1 });
  });

  test('a fall, delivered at the first try: 12.5 read and 15 write, and 1 write more once in a minute', async () => {
    const costs = [];
    for (let second = 0; second < 60; second++) costs.push({ ...(await fall(1_000)), text: ledger.text() });
    for (const { text, ...cost } of costs)
      expect(
        [15, 16].map((write) => ({ read: 12.5, write })),
        text,
      ).toContainEqual(cost);
    const average = costs.reduce((sum, { write }) => sum + write, 0) / costs.length;
    expect(average).toBeGreaterThan(15);
    expect(average).toBeLessThan(15.05);
  });

  test('a fall after a quiet hour: 12.5 read and 16 write', async () => {
    expect(await fall(3_600_000), ledger.text()).toEqual({ read: 12.5, write: 16 });
  });

  test('a fall rings two queues: 2 sends, 2 receives, 2 deletes', async () => {
    const { bells } = cloud;
    if (!('queues' in bells)) throw new Error('the queues of this test are in its process');
    const spied = Object.values(bells.queues).map((queue) => ({
      sends: vi.spyOn(queue, 'send'),
      receives: vi.spyOn(queue, 'receive'),
      deletes: vi.spyOn(queue, 'remove'),
    }));
    await fall(1_000);
    const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);
    expect({
      sends: sum(spied.map(({ sends }) => sends.mock.calls.length)),
      // Looks that find nothing are the price of an idle queue, not of an event.
      receives: sum(spied.map(({ receives }) => receives.mock.results.filter(({ value }) => value.length > 0).length)),
      deletes: sum(spied.map(({ deletes }) => deletes.mock.calls.length)),
    }).toEqual({ sends: 2, receives: 2, deletes: 2 });
    vi.restoreAllMocks();
  });
});
