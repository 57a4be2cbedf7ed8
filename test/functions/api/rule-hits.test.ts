import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { EVENT_RETENTION } from '#shared/domain/event/event.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import { store } from '#shared/store/store.ts';
import { createLedger, startEngine } from '#test/bench/meter.ts';
import { rejectedPaths } from '#test/fixtures/answers.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startCountedCloud } from '#test/fixtures/cloud.ts';
import { seedHits } from '#test/fixtures/hits.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

type Hit = { id: number; createDate: number; updateDate: number; sensorId: string; sensor: { id: string } | null };
type Page = { total: number; data: Hit[] };

const COUNT = 3_000;
const OLD = 600;

describe('listing rule hits', () => {
  const ledger = createLedger();
  let cloud: Cloud;
  let client: Client;
  let path: string;
  let hits: Pick<Hit, 'id' | 'createDate' | 'updateDate' | 'sensorId'>[];
  const sensors: string[] = [];

  beforeAll(async () => {
    cloud = await startCountedCloud(ledger);
    const home = await createHome(await adminOf(cloud.url), 'hazel', ALL_PERMISSIONS);
    for (let n = 0; n < 3; n++) sensors.push((await linkSensor(home.client)).sensorId);
    // The first 600 hits are up to a day past their retention, but not removed yet.
    const count = COUNT;
    // The hits are far enough apart that none expires while the test runs.
    const stepMs = 600_000;
    const from = Date.now() - EVENT_RETENTION - OLD * stepMs - stepMs / 2;
    const log = { customerId: home.customerId, sensors, count, from, stepMs };
    hits = (await seedHits(cloud.runtime.table, log)).slice(OLD);
    client = home.client;
    path = `/customers/${home.customerId}/rule-hits`;
  });
  afterAll(() => cloud.stop());

  const list = async (query: string) => {
    ledger.clear();
    const [page] = await client.ok<Page[]>('GET', `${path}?${query}`);
    return { ...(page as Page), read: ledger.total().read };
  };
  const ids = (all: readonly { id: number }[]) => all.map(({ id }) => id);

  test.each(['id', 'createDate', 'updateDate'] as const)(
    'lists of hits sorted by %s have an exact total on every page',
    async (field) => {
      const ordered = hits.toSorted((a, b) => a[field] - b[field] || a.id - b.id);
      const descending = hits.toSorted((a, b) => b[field] - a[field] || a.id - b.id);
      for (const page of [0, 7, Math.ceil(hits.length / 30) - 1]) {
        const from = page * 30;
        const to = (page + 1) * 30;
        const up = await list(`sortBy=asc(${field})&page=${page}`);
        const down = await list(`sortBy=desc(${field})&page=${page}`);
        expect([up.total, down.total]).toEqual([hits.length, hits.length]);
        expect(ids(up.data)).toEqual(ids(ordered.slice(from, to)));
        expect(ids(down.data)).toEqual(ids(descending.slice(from, to)));
      }
      expect(await list(`sortBy=asc(${field})&page=1000`)).toMatchObject({ total: hits.length, data: [] });
    },
  );

  test('filters hits by sensor, in every sort order', async () => {
    const mine = hits.filter(({ sensorId }) => sensorId === sensors[1]);
    for (const field of ['id', 'createDate', 'updateDate'] as const) {
      const { total, data } = await list(`sensorId=${sensors[1]}&sortBy=desc(${field})&page=2&perPage=50`);
      expect(total).toBe(mine.length);
      const ordered = mine.toSorted((a, b) => b[field] - a[field] || a.id - b.id);
      expect(ids(data)).toEqual(ids(ordered.slice(100, 150)));
    }
    expect(await list('sensorId=id_of_no_sensor')).toMatchObject({ total: 0, data: [] });
  });

  test('returns no hits for an invalid sensor id', async () => {
    const others = ['abc', ' ', 'x'.repeat(27), 'x'.repeat(900), '#'.repeat(26), '#'.repeat(700), 'ü'.repeat(1_025)];
    for (const sensorId of others)
      expect(await list(`sensorId=${encodeURIComponent(sensorId)}`)).toMatchObject({ total: 0, data: [] });
    const unfit = await client.call('GET', `${path}?sensorId=%00`);
    expect(rejectedPaths(unfit)).toEqual([400, 'sensorId']);
    expect((await list('sensorId=')).total).toBe(hits.length);
  });

  test('a page of hits costs at most 40 read units', async () => {
    const last = Math.ceil(hits.length / 200) - 1;
    const first = await list('perPage=200');
    const end = await list(`perPage=200&page=${last - 1}`);
    expect(first.data).toHaveLength(200);
    expect(first.read).toBeLessThanOrEqual(40);
    expect(Math.abs(end.read - first.read)).toBeLessThanOrEqual(1);
    expect((await list('')).read).toBeLessThanOrEqual(20);
  });

  test('lists each hit together with the sensor', async () => {
    const { data } = await list('');
    expect(data.every(({ sensor, sensorId }) => sensor?.id === sensorId)).toBe(true);
  });
});

describe("storing a customer's hits", () => {
  const hit = (n: number) => ({
    hitNumber: { series: 1, number: n + 1 },
    ruleId: n,
    ruleSensorGroupId: 0,
    ruleCustomerId: 7,
    sensorId: 's',
    situation: 'fall_detected' as const,
    sensorEventId: '00000000-0000-4000-8000-000000000001',
    messages: [],
  });

  test('each appended hit costs two writes, however many were appended since the decision', async () => {
    const ledger = createLedger();
    const engine = await startEngine(ledger);
    const { ruleHits } = store(engine.plain);
    const after = await ruleHits.lastPlace(7);
    const appendAll = () =>
      Promise.all(Array.from({ length: 150 }, (_, n) => ruleHits.append(7, after, hit(n), 1_800_000_000_000)));
    const before = ledger.total();
    const positions = await appendAll();
    const spent = ledger.total();
    // The hits are appended again, as after a crash.
    const repeated = (await appendAll()).map(({ isNew, ...position }) => ({ ...position, isNew: !isNew }));
    expect(repeated).toEqual(positions);
    await engine.stop();
    expect(positions.map(({ id }) => id)).toEqual(Array.from({ length: 150 }, (_, n) => after.id + 1 + n));
    // Each hit is also written to the sensor's list.
    expect({ read: spent.read - before.read, write: spent.write - before.write }).toEqual({ read: 0, write: 300 });
  });

  test('50 concurrently appended hits get consecutive ids in increasing order', async () => {
    const engine = await startEngine(createLedger());
    // Two processes, each with a separate write queue.
    const first = store(engine.plain).ruleHits;
    const other = store(engine.plain).ruleHits;
    const after = await first.lastPlace(7);
    // Each hit is appended twice, as if two processes with different clocks applied the same decision.
    const append = (process: typeof first, n: number) =>
      process.append(7, after, hit(n), 1_800_000_000_000 + ((n * 31) % 50));
    const twice = Array.from({ length: 50 }, (_, n) => [append(first, n), append(other, 49 - n)]).flat();
    const positions = await Promise.all(twice);
    await engine.stop();
    const distinct = [...new Set(positions.map(({ id }) => id))].sort((a, b) => a - b);
    expect(distinct).toEqual(Array.from({ length: 50 }, (_, at) => after.id + 1 + at));
    const places = distinct.flatMap((id) => positions.find((position) => position.id === id) ?? []);
    const orderDates = places.map(orderDateOf);
    expect(orderDates).toEqual(orderDates.toSorted((a, b) => a - b));
    const dates = places.map(({ createDate }) => createDate - 1_800_000_000_000);
    expect(dates.toSorted((a, b) => a - b)).toEqual(dates.map((_, at) => at));
  });
});
