import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handler } from '../../functions/sweep/handler.ts';
import { createPatience } from '../../functions/sweep/patience.ts';
import { systemClock } from '../../lib/local/clock.ts';
import type { Cloud } from '../../lib/local/cloud.ts';
import { lambdaContext } from '../../lib/local/pollers.ts';
import type { Bell } from '../../shared/queue/bell.ts';
import { dueAt } from '../../shared/store/due.ts';
import { items } from '../../shared/store/table.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';

let ahead = 0;
let cloud: Cloud;
const bells: Bell[] = [];
beforeAll(async () => {
  cloud = await startTestCloud({
    clock: {
      ...systemClock,
      now: () => Date.now() + ahead,
      after: (ms, run) => (ms < 1_000 ? systemClock.after(ms, run) : () => {}),
    },
    // All bells are lost.
    wrap: (runtime) => ({ ...runtime, send: async (_, all) => void bells.push(...all) }),
  });
});
afterAll(() => cloud.stop());

describe('the sweeper', () => {
  test('rings for a message whose bell was lost, and each time waits longer before it rings again', async () => {
    const home = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, a.presence(true));
    const rungAfter = async (seconds: number) => {
      bells.length = 0;
      ahead += seconds * 1_000;
      await cloud.sweep();
      return bells.length;
    };
    expect(await rungAfter(20)).toBe(0);
    expect(await rungAfter(15)).toBe(1);
    expect([await rungAfter(5), await rungAfter(40)]).toEqual([0, 0]);
    expect(await rungAfter(10)).toBe(1);
    expect(await rungAfter(90)).toBe(0);
    expect(await rungAfter(20)).toBe(1);
  });
});

describe('patience', () => {
  test('never waits longer than a quarter of an hour, and forgets what was worked off', () => {
    const { isTime, tidy } = createPatience();
    let now = 0;
    const waits = Array.from({ length: 8 }, () => {
      const begin = now;
      while (!isTime('a', now)) now += 1_000;
      return now - begin;
    });
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 900, 900].map((seconds) => seconds * 1_000));
    tidy(now + 2 * 900_000 + 1);
    expect(isTime('a', now)).toBe(true);
  });
});

describe('more than a sweep has time for', () => {
  // One page of two items for each sweep, of eight shards with five items each.
  const SHARDS = 8;
  const [each, page] = [5, 2];
  const idOf = (at: number) => `${at}`.padStart(26, '0');
  const shardOf = (at: number) => dueAt(idOf(at), 0).duePk;
  const all = Array.from({ length: 2_000 }, (_, at) => at);
  const ids = [...Map.groupBy(all, shardOf).values()].flatMap((some) => some.slice(0, each)).map(idOf);

  test('every shard is served within as many sweeps as there are shards, and in the end every item', async () => {
    const { runtime } = cloud;
    const webhook = { customerId: 1, webhookId: '00000000-0000-4000-8000-000000000001' };
    const write = (deliveryId: string) =>
      runtime.table.write({ put: { ...items.delivery({ ...webhook, deliveryId }), ...dueAt(deliveryId, 1) } });
    await Promise.all(ids.map(write));
    const query = ((input) => runtime.table.query({ ...input, limit: page })) as typeof runtime.table.query;
    const sweepOnce = handler.with({ ...runtime, table: { ...runtime.table, query } });
    const context = lambdaContext({ functionName: 'sweep', timeoutSeconds: 60, clock: systemClock });
    const hurried = { ...context, getRemainingTimeInMillis: () => 1 };
    const rung = () => new Set(bells.map(({ body }) => (JSON.parse(body) as { d?: string }).d).filter((d) => d));
    bells.length = 0;
    expect(ids.length).toBe(SHARDS * each);
    for (let sweep = 0; sweep < SHARDS; sweep++) await sweepOnce({} as never, hurried);
    expect(new Set([...rung()].map((id) => shardOf(Number(id)))).size).toBe(SHARDS);
    for (let sweep = SHARDS; sweep < SHARDS * Math.ceil(each / page); sweep++) await sweepOnce({} as never, hurried);
    expect(rung().size).toBe(ids.length);
    // What was rung for and is due all the same comes again, where one sweep or the other has gone on to the end.
    bells.length = 0;
    for (let sweep = 0; sweep < 2; sweep++) await sweepOnce({} as never, context);
    expect(rung().size).toBe(ids.length);
  });
});
