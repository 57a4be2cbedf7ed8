import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { handler } from '#functions/workers/sweep/handler.ts';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { lambdaContext } from '#lib/local/lambda/invocation.ts';
import { hashOf } from '#shared/domain/ids.ts';
import { type Fall, newSensorState, type SensorState } from '#shared/domain/sensor/sensor-state.ts';
import { type Measure, noMetrics } from '#shared/observability/metrics.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { encodeState } from '#shared/store/sensors/state-item.ts';
import { DUE_SHARDS, items } from '#shared/store/table.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const customerId = 7;
const context = lambdaContext({ functionName: 'sweep', timeoutSeconds: 60, clock: systemClock });
const hurried = { ...context, getRemainingTimeInMillis: () => 1 };

let cloud: Cloud;
let runtime: Runtime;
let now = Date.now();
let sent: string[] = [];
let read: string[] = [];
let canRead = true;
const measured: unknown[][] = [];
const measure = (...args: unknown[]) => void measured.push(args);
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { ...unscheduled, now: () => now }, log: () => {} });
  const { table, queues } = cloud.runtime;
  runtime = {
    ...cloud.runtime,
    metrics: { ...noMetrics, measure: measure as Measure },
    queues: {
      ...queues,
      send: async (_, messages) => void sent.push(...messages.map(({ body }) => JSON.parse(body).sensorId)),
    },
    table: {
      ...table,
      getAllEventual: async (keys) => {
        read.push(...keys.flatMap((key) => items.sensorState.read(key)?.sensorId ?? []));
        if (!canRead) throw new Error('the table is unavailable');
        return table.getAllEventual(keys);
      },
    },
  };
});
afterAll(() => cloud.stop());

const openFall = (start: number): Fall => ({ start, phases: ['detected'], at: start });

let prefix = 0;
let known: string[] = [];
/** Writes a sensor's state, with an entry in the `due` index that dates from when the sensor became active. */
const put = async (name: string, state: Partial<SensorState>, entry = now - 86_400_000): Promise<string> => {
  const sensorId = `id_${prefix}_${name}`;
  const item = encodeState({ ...newSensorState, isActive: true, lastSeen: now, version: 1, decision: null, ...state });
  const key = items.sensorState({ customerId, sensorId });
  await cloud.runtime.table.write({ put: { ...item, ...key, ...dueAt(sensorId, entry) } });
  known.push(sensorId);
  return sensorId;
};
/** Creates a sweeping process. Time advances by `pass` ms before each sweep. */
const start = (more: Partial<Runtime> = {}) => {
  const run = handler.with({ ...runtime, ...more });
  return async (pass = MINUTE, lambda = context) => {
    now += pass;
    [sent, read] = [[], []];
    await run({} as never, lambda);
    return { sent: sent.toSorted(), read: read.toSorted() };
  };
};
/** Lets the service run for the given number of minutes. */
const serve = async (minutes = 10) => {
  const sweep = start();
  for (let minute = 0; minute < minutes; minute++) await sweep();
};
beforeEach(async () => {
  for (const sensorId of known)
    await cloud.runtime.table.write({ remove: items.sensorState({ customerId, sensorId }) });
  [known, canRead] = [[], true];
  prefix += 1;
  await serve();
});

describe('a sweep', () => {
  test("a sweep does not reread an online sensor's state until it could be offline", async () => {
    const id = await put('online', { lastSeen: now });
    const sweep = start();
    expect(await sweep()).toEqual({ read: [id], sent: [] });
    for (let minute = 2; minute <= 4; minute++) expect(await sweep()).toEqual({ read: [], sent: [] });
    await put('online', { lastSeen: now });
    expect(await sweep()).toEqual({ read: [id], sent: [] });
  });

  test('each sweep enqueues a check for a sensor that looks offline', async () => {
    const id = await put('offline', { lastSeen: now });
    const sweep = start();
    for (let minute = 1; minute <= 4; minute++) expect((await sweep()).sent).toEqual([]);
    for (let minute = 5; minute <= 7; minute++) expect((await sweep()).sent).toEqual([id]);
  });

  test('a sweep enqueues checks for inactive sensors and those with an open fall', async () => {
    const ids = [await put('fallen', { falls: [openFall(now)] }), await put('gone', { isActive: false })];
    const sweep = start();
    expect((await sweep()).sent).toEqual(ids);
    expect((await sweep()).sent).toEqual(ids);
  });

  test('a sweep checks a fall within 10 minutes, whatever the inactivity limit', async () => {
    const id = await put('slow', {});
    const sweep = start({ settings: { ...runtime.settings, SENSOR_INACTIVE_AFTER_SECONDS: 86_400 } });
    await sweep();
    await put('slow', { falls: [openFall(now)] });
    const found = [];
    for (let minute = 1; minute <= 11; minute++) found.push(...(await sweep()).sent);
    expect(found).toContain(id);
  });

  test('a sweep checks sensors whose states it cannot read', async () => {
    const id = await put('unread', {});
    canRead = false;
    expect((await start()()).sent).toEqual([id]);
    expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'sweep', kind: 'other' }]);
  });

  test('a sweep continues with the other shards if one does not respond', async () => {
    const gone = { isActive: false };
    const ids = [await put('one', gone), await put('two', gone), await put('three', gone)];
    const shardOf = (sensorId: string) => dueAt(sensorId, now).duePk;
    const [downShard = ''] = ids.map(shardOf);
    const query: Runtime['table']['query'] = async (input) => {
      if (input.pk === downShard) throw new TableUnavailable('the shard does not respond');
      return cloud.runtime.table.query(input);
    };
    const isReachable = (sensorId: string) => shardOf(sensorId) !== downShard;
    expect(ids.filter(isReachable)).not.toEqual([]);
    expect((await start({ table: { ...runtime.table, query } })()).sent).toEqual(ids.filter(isReachable).toSorted());
    expect(measured).toContainEqual(['TasksFailed', 1, { worker: 'sweep', kind: 'table' }]);
  });

  test('a sweep does not check sensors right after a service outage', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, {});
    const sweep = start();
    await sweep();
    expect((await sweep(6 * 3_600 * SECOND)).sent).toEqual([]);
    for (let minute = 1; minute <= 4; minute++) expect((await sweep()).sent).toEqual([]);
    expect((await sweep()).sent).toHaveLength(3);
  });

  test('a sweep reads states again after the clock is set back', async () => {
    const id = await put('early', { lastSeen: now + 86_400_000 });
    const sweep = start();
    await sweep(86_400_000);
    await put('early', { lastSeen: now - 86_400_000 - 400 * SECOND });
    expect((await sweep(-86_400_000)).read).toEqual([id]);
  });
});

test('setting the clock back delays the detection of offline sensors by at most 300 s', async () => {
  const sweep = start();
  await sweep(86_400_000);
  now -= 86_400_000;
  const id = await put('offline', { lastSeen: now - 400 * SECOND });
  for (let minute = 1; minute <= 5; minute++) expect((await sweep()).sent).toEqual([]);
  expect((await sweep()).sent).toEqual([id]);
});

describe('a new process', () => {
  const SENSORS = 1_000;
  const putAll = () =>
    Promise.all(Array.from({ length: SENSORS }, (_, at) => put(hashOf(`${at}`).slice(0, 16), { lastSeen: now })));

  test('a new process reads all sensor states only once', async () => {
    const ids = await putAll();
    const sweep = start();
    expect(await sweep()).toEqual({ read: ids.toSorted(), sent: [] });
    expect(await sweep()).toEqual({ read: [], sent: [] });
  });

  test('a new process continues where the previous one ran out of time', async () => {
    const ids = await putAll();
    const limited = (query: Parameters<Runtime['table']['query']>[0]) => runtime.table.query({ ...query, limit: 10 });
    const more = { table: { ...runtime.table, query: limited as Runtime['table']['query'] } };
    const found: string[] = [];
    const fullest = Math.max(
      ...[...Map.groupBy(ids, (id) => dueAt(id, 0).duePk).values()].map((ofShard) => ofShard.length),
    );
    // Each process ends after the first sweep, which has time for one page of ten.
    for (let process = 0; process < DUE_SHARDS * Math.ceil(fullest / 10); process++)
      found.push(...(await start(more)(SECOND, hurried)).read);
    expect(new Set(found)).toEqual(new Set(ids));
  });

  test('concurrent processes enqueue the same checks', async () => {
    const id = await put('offline', { lastSeen: now - 400 * SECOND });
    const first = start();
    const other = start();
    expect([(await first()).sent, (await other(0)).sent]).toEqual([[id], [id]]);
  });
});
