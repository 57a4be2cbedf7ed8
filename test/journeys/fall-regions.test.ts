import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { rejectedPaths } from '../fixtures/answers.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { a, b, room } from '../fixtures/messages.ts';

let cloud: Cloud;
const receivers: Receiver[] = [];
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(async () => {
  await Promise.all([cloud, ...receivers].map((server) => server.stop()));
});

type Notification = {
  event: { type: string; action: string };
  rule: { title: string; message: string; hasRegion: boolean; regionIndex: number; regionName: string };
};
const falls = [
  'fall_suspected',
  'fall_confirmed',
  'fall_detected',
  'fall_finished',
  'fall_canceled',
  'fall_loop',
  'fall_suspected_sensitive',
  'fall_detected_sensitive',
];

/** Creates a home with one sensor and, for every fall situation, a rule for the bed and one for the whole room. */
const prepare = async (name: string, maker: 'maker_a' | 'maker_b' = 'maker_a') => {
  const { client, customerId } = await createHome(await adminOf(cloud.url), name, ALL_PERMISSIONS);
  const { sensorId, device } = await linkSensor(client, maker);
  // Fall rules work even in regions with fall detection disabled.
  const regionsOff = room.regions.map((region) => ({
    ...region,
    fallDetectionEnabled: false,
    presenceDetectionEnabled: false,
  }));
  const { regions } = await client.ok<{ regions: { id: string; name: string }[] }>(
    ...(['PUT', `/sensors/${sensorId}/room`, { ...room, regions: regionsOff }] as const),
  );
  const regionId = regions.find((region) => region.name === 'Bed')?.id;
  const receiver = await startReceiver();
  receivers.push(receiver);
  const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'Nurse call' });
  const hook = { name: 'n', format: 'full', url: receiver.url, isCustomerHook: false, botId: bot.id };
  const webhook = await client.ok<{ id: string }>('POST', '/webhooks', hook);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const rule = { name: 'n', message: '{region}', sensorId, recipients, rateLimitSeconds: 0 };
  for (const situation of falls) {
    await client.ok('POST', '/rules', { ...rule, situation, title: 'bed', regionId });
    await client.ok('POST', '/rules', { ...rule, situation, title: 'room' });
  }
  const post = async (...messages: object[]) => {
    for (const message of messages) {
      await device.ok('POST', `/devices/${sensorId}/messages`, message);
      await cloud.idle();
      await cloud.idle();
    }
  };
  const notifications = (title: string) =>
    receiver.received.map(({ body }) => JSON.parse(body) as Notification).filter(({ rule }) => rule.title === title);
  const actions = (title: string) => notifications(title).map(({ event }) => event.action);
  return { client, customerId, sensorId, rule, regionId, post, notifications, actions };
};

const inBed = { fallLocX_cm: -100, fallLocY_cm: 200, fallLocZ_cm: 0 };
const outside = { fallLocX_cm: -101, fallLocY_cm: 200, fallLocZ_cm: 0 };
const whole = ['fall_detected', 'fall_confirmed', 'calling', 'finished'];
const actionsOfWhole = ['fall_suspected', 'confirmed', 'fall_detected', 'finished'];

describe('a rule with a region', () => {
  test('a region rule fires for every fall state inside the region and for none outside', async () => {
    const { client, sensorId, post, notifications, actions } = await prepare('maple');
    const start = Date.now();
    await post(...whole.map((status) => a.fall(status, start, inBed)));
    expect(actions('bed')).toEqual(actionsOfWhole);
    const where = { message: 'Bed', hasRegion: true, regionIndex: 0, regionName: 'Bed' };
    for (const title of ['bed', 'room']) for (const { rule } of notifications(title)) expect(rule).toMatchObject(where);
    await post(...whole.map((status) => a.fall(status, start + 1, outside)));
    expect(actions('bed')).toEqual(actionsOfWhole);
    expect(actions('room')).toEqual([...actionsOfWhole, ...actionsOfWhole]);
    const nowhere = { hasRegion: false, regionIndex: -1, regionName: '' };
    for (const { rule } of notifications('room').slice(4)) expect(rule).toMatchObject(nowhere);
    type Listed = { type: string; region: object | null };
    const [page] = await client.ok<{ data: Listed[] }[]>('GET', `/sensors/${sensorId}/events`);
    const listed = page?.data.filter(({ type }) => type === 'fall').map(({ region }) => region);
    const bed = { positionIdx: 0, name: 'Bed' };
    expect(listed).toEqual([...Array(4).fill(null), ...Array(4).fill(bed)]);
  });

  test("a region rule uses the fall's first location and ignores later ones", async () => {
    const { post, actions } = await prepare('birch');
    const start = Date.now();
    const of = (status: string, at: number, where: object) => a.fall(status, start + at, where);
    await post(of('fall_detected', 0, inBed), of('calling', 0, outside), of('finished', 0, {}));
    expect(actions('bed')).toEqual(['fall_suspected', 'fall_detected', 'finished']);
    await post(of('fall_detected', 1, outside), of('calling', 1, inBed), of('finished', 1, inBed));
    expect(actions('bed')).toHaveLength(3);
  });

  test("a region rule uses the fall's first location even if the alarm arrives late", async () => {
    const { post, actions } = await prepare('hazel');
    const start = Date.now();
    const of = (at: number, status: string, after: number, where: object) =>
      a.fall(status, start + at, { statusUpdateTimestamp: start + after, ...where });
    await post(of(0, 'fall_detected', 1, inBed), of(0, 'finished', 9, {}), of(0, 'calling', 5, outside));
    expect(actions('bed')).toContain('fall_detected');
    await post(of(1, 'fall_detected', 11, outside), of(1, 'finished', 19, {}), of(1, 'calling', 15, inBed));
    expect(actions('bed').filter((action) => action === 'fall_detected')).toHaveLength(1);
  });

  test('a region rule fires for sensitive falls and fall loops in the region', async () => {
    const { post, actions } = await prepare('rowan');
    const start = Date.now();
    await post(a.sensitive('fall_suspected', start, inBed), a.sensitive('calling', start, inBed));
    for (const at of [0, 1, 2]) await post(a.fall('fall_detected', start + at, inBed));
    expect(actions('bed')).toEqual(expect.arrayContaining(['fall_suspected_sensitive', 'fall_detected_sensitive']));
    expect(actions('bed')).toContain('fall_loop');
  });

  test('a region rule fires for a maker B fall in the last entered region', async () => {
    const { post, notifications, actions } = await prepare('cedar', 'maker_b');
    const [bed, door] = [
      [2, 0],
      [4, 1],
    ] as const;
    await post(b.move(1, 3, ...bed), b.move(1, 3, ...door), b.pose(1, 2), b.pose(1, 5), b.pose(1, 1));
    expect(actions('bed')).toEqual([]);
    expect(notifications('room').map(({ rule }) => rule.regionName)).toEqual(['Door', 'Door', 'Door']);
    await post(b.move(1, 4, ...door), b.pose(1, 2));
    // The fall stays where it began.
    await post(b.move(1, 4, ...bed), b.pose(1, 5), b.pose(1, 1));
    expect(actions('bed')).toEqual(['fall_suspected', 'fall_detected', 'finished']);
    await post(b.pose(1, 5));
    expect(notifications('room').at(-1)?.rule).toMatchObject({ hasRegion: false, regionIndex: -1 });
    expect(actions('bed')).toHaveLength(3);
  });

  test('a region rule fires for a maker B fall in a re-entered region', async () => {
    const { post, notifications, actions } = await prepare('willow', 'maker_b');
    const [bed, door] = [
      [2, 0],
      [4, 1],
    ] as const;
    await post(b.move(1, 3, ...bed), b.move(1, 3, ...door), b.move(1, 3, ...bed), b.pose(1, 5), b.pose(1, 1));
    expect(actions('bed')).toEqual(['fall_detected', 'finished']);
    await post(b.move(1, 4, ...bed), b.pose(1, 5));
    expect(notifications('room').at(-1)?.rule.regionName).toBe('Door');
  });

  test('a rule for room presence, sensor states or vital signs cannot have a region', async () => {
    const { client, rule, regionId } = await prepare('aspen');
    const create = (situation: string) =>
      client.call('POST', '/rules', { ...rule, title: 't', regionId, situation, isEnabled: false });
    for (const situation of ['empty_room', 'occupied_room', 'sensor_inactive', 'sensor_clock_wrong', 'apnea'])
      expect(rejectedPaths(await create(situation)), situation).toEqual([400, 'regionId']);
    for (const situation of ['bed_left', 'door_entered', 'region_left', 'fall_loop', 'sitting_up_in_bed'])
      expect((await create(situation)).status, situation).toBe(201);
  });
});
