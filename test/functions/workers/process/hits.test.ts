import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { createAlarm } from '#test/fixtures/home.ts';
import { crashingAt, presence, processRecords, startCloudWithoutQueues } from '#test/fixtures/process-by-hand.ts';

let cloud: Awaited<ReturnType<typeof startCloudWithoutQueues>>;
beforeAll(async () => {
  cloud = await startCloudWithoutQueues();
});
afterAll(() => cloud.stop());

describe("a sensor's hits", () => {
  test('a rule deleted after it fired does not leave a gap between hits', async () => {
    const { home, rule, said, hits, hitsOfSensor } = await cloud.prepare('cedar');
    await processRecords(cloud.base, said(presence(true, 0)));
    await processRecords(crashingAt(cloud.base, 'HIT#'), said(presence(false, 1), presence(true, 2)));
    await home.client.ok('DELETE', `/rules/${rule.id}`);
    await createAlarm(home.client, 'http://127.0.0.1:9/', 'occupied_room');
    await processRecords(cloud.base, said(presence(false, 3), presence(true, 4)));
    expect(await hits()).toBe(3);
    expect(await hitsOfSensor()).toEqual({ total: 3, found: 3 });
  });

  test("a sensor's hit list stays complete even if hit numbers restart", async () => {
    const { place, said, state, hitsOfSensor } = await cloud.prepare('hornbeam');
    await processRecords(cloud.base, said(presence(true, 0)));
    const before = await state();
    if (!before) throw new Error('no state');
    const { states } = store(cloud.base.table);
    expect(await states.decide(place, before.version, { ...before, decision: null })).toBe(true);
    await processRecords(cloud.base, said(presence(false, 1), presence(true, 2)));
    await processRecords(cloud.base, said(presence(false, 3), presence(true, 4)));
    expect(await hitsOfSensor()).toEqual({ total: 3, found: 3 });
  });
});
