import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';
import { a, b, room } from '#test/fixtures/messages.ts';

let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.stop());

const regionOf = (kind: string, name: string, left: number) => ({
  kind,
  name,
  topLeftX: left,
  topLeftY: 200,
  bottomRightX: left + 50,
  bottomRightY: 100,
});
// Beds get the first numbers, wherever they are in the body.
const bed = regionOf('bed', 'Bed', -100);
const chair = regionOf('default', 'Chair', 100);

let homes = 0;
const furnish = async (maker?: 'maker_a' | 'maker_b') => {
  const { client } = await createHome(await adminOf(cloud.url), `numbers-${++homes}`, ALL_PERMISSIONS);
  const { sensorId, device } = await linkSensor(client, maker);
  return {
    put: (...regions: object[]) => client.ok('PUT', `/sensors/${sensorId}/room`, { ...room, regions }),
    say: async (message: object): Promise<void> => {
      await device.ok('POST', `/devices/${sensorId}/messages`, message);
      await cloud.idle();
    },
    /** The region events, oldest first. */
    regionEvents: async (): Promise<string[]> => {
      type Event = { action: string; region: { name: string } | null };
      const [page] = await client.ok<{ data: Event[] }[]>('GET', `/sensors/${sensorId}/events`);
      return (page?.data ?? [])
        .flatMap(({ action, region }) => (region ? `${action} ${region.name}` : []))
        .toReversed();
    },
  };
};

describe('renumbered regions', () => {
  test('renumbering a region does not reset its presence state', async () => {
    const { put, say, regionEvents } = await furnish();
    await put(chair);
    await say(a.regions({ 0: 1 }));
    await put(chair, bed);
    await say(a.regions({ 0: 0, 1: 1 }));
    expect(await regionEvents()).toEqual(['entered Chair']);
    await say(a.regions({ 0: 1, 1: 0 }));
    await say(a.regions({ 0: 0, 1: 0 }));
    expect((await regionEvents()).slice(1).toSorted()).toEqual(['entered Bed', 'left Bed', 'left Chair']);
  });

  test("a new region starts empty even if it reuses a removed region's number", async () => {
    const { put, say, regionEvents } = await furnish();
    await put(chair, bed);
    await say(a.regions({ 0: 1, 1: 0 }));
    await put(chair);
    await say(a.regions({ 0: 1 }));
    expect(await regionEvents()).toEqual(['entered Bed', 'entered Chair']);
  });

  test('a fall stays in the same region when regions are renumbered', async () => {
    const { put, say, regionEvents } = await furnish('maker_b');
    await put(chair);
    await say(b.move(1, 3, 0, 0));
    await put(chair, bed);
    await say(b.pose(1, 5));
    await say(b.move(1, 3, 0, 1));
    expect(await regionEvents()).toEqual(['entered Chair', 'fall_detected Chair']);
  });
});
