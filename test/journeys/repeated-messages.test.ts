import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidV5 } from '#shared/domain/ids.ts';
import { items } from '#shared/store/table.ts';
import { register } from '../fixtures/client.ts';
import { PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { createDeliveryWorld } from '../fixtures/deliveries.ts';
import { linkSensor, nextHardwareId } from '../fixtures/home.ts';
import { a, b } from '../fixtures/messages.ts';

const DAY = 86_400_000;
let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
beforeAll(async () => {
  world = await createDeliveryWorld();
});
afterAll(() => world.stop());

type Home = Awaited<ReturnType<typeof world.furnish>>;
const eventsOf = async ({ client, sensorId }: Home) => {
  const [page] = await client.ok<{ data: { uuid: string; type: string; raw: { of: string } }[] }[]>(
    'GET',
    `/sensors/${sensorId}/events?perPage=200`,
  );
  return page?.data ?? [];
};
const unknown = (of: string, uuid: string) => ({ type: 99, uuid, of, payload: {} });

const UUID = '11111111-1111-4111-8111-111111111111';

test('identical bytes with the same uuid create only one event', async () => {
  const home = await world.furnish();
  const other = '22222222-2222-4222-8222-222222222222';
  await home.say(a.presence(false));
  const messages = [unknown('a', UUID), unknown('a', UUID), unknown('b', other), unknown('c', other)];
  await home.say(messages);
  for (const message of messages) await home.say(message);
  world.skip(121_000);
  for (const message of messages) await home.say(message);
  const events = (await eventsOf(home)).filter(({ type }) => type !== 'sensor');
  expect(events.map(({ type, raw }) => `${type} ${raw.of}`).toSorted()).toEqual([
    'message c',
    'unknown a',
    'unknown b',
    'unknown c',
  ]);
  const uuidOf = (name: string) => events.find(({ type, raw }) => type === 'unknown' && raw.of === name)?.uuid;
  expect([uuidOf('a'), uuidOf('b')]).toEqual([UUID, other]);
  expect(uuidOf('c')).toBe(uuidV5(other, JSON.stringify(messages[3])));
});

/** The number of alarms from this maker's sensor after these messages. */
const alarmsAfter = async (maker: 'maker_a' | 'maker_b', messages: readonly object[]): Promise<number | undefined> => {
  const { client, customerId } = await world.furnish();
  const { sensorId, device } = await linkSensor(client, maker);
  for (const message of messages) {
    await device.ok('POST', `/devices/${sensorId}/messages`, message);
    await world.idle();
  }
  const path = `/customers/${customerId}/rule-hits?sensorId=${sensorId}`;
  return (await client.ok<{ total: number }[]>('GET', path))[0]?.total;
};

test('different falls with the same uuid each raise an alarm', async () => {
  const falls = [0, 1].map((n) => ({ ...a.fall('calling', world.now() + n), uuid: UUID }));
  expect(await alarmsAfter('maker_a', falls)).toBe(2);
});

test('a fall that reuses the uuid of the suspected fall raises an alarm', async () => {
  const withUuid = (message: object) => ({ ...message, uuid: UUID });
  expect(await alarmsAfter('maker_b', [b.pose(1, 2), b.pose(1, 5)].map(withUuid))).toBe(1);
  expect(await alarmsAfter('maker_b', [b.pose(1, 4), b.pose(1, 5)].map(withUuid))).toBe(1);
});

test('a fall reported before the sensor was linked can be reported again afterwards', async () => {
  const { client, customerId } = await world.furnish();
  const { sensorId, deviceToken, pairingCode } = await register(client, PROVISIONING_KEY, nextHardwareId());
  const fall = a.fall('calling', world.now());
  const say = async () => {
    await client.as(deviceToken).ok('POST', `/devices/${sensorId}/messages`, fall);
    await world.pass(0);
  };
  await say();
  await client.ok('POST', '/sensors/link', { manufacturer: 'maker_a', code: pairingCode });
  const hits = async () =>
    (await client.ok<{ total: number }[]>('GET', `/customers/${customerId}/rule-hits?sensorId=${sensorId}`))[0]?.total;
  expect(await hits()).toBe(0);
  await say();
  await say();
  expect(await hits()).toBe(1);
});

/** Removes the items that DynamoDB would have removed after the TTL. */
const expire = async ({ customerId, sensorId, at }: Home): Promise<void> => {
  const webhookId = at.split('/').at(-1) ?? '';
  const partitions = [
    items.event.pk({ customerId, sensorId }),
    items.delivery.pk({ customerId, webhookId }),
    items.ruleHit.pk({ customerId }),
  ];
  for (const pk of partitions)
    for (const { sk, ttl } of (await world.table.query<{ pk: string; sk: string; ttl?: number }>({ pk })).items)
      if (ttl !== undefined && ttl * 1_000 <= world.now()) await world.table.write({ remove: { pk, sk } });
};

test('a sensor back online after 121 days does not report its last fall again', async () => {
  const home = await world.furnish();
  const { say, fall, receiver, client, customerId } = home;
  await say(a.presence(true));
  await fall();
  expect(receiver.received).toHaveLength(1);
  world.skip(121 * DAY);
  await expire(home);
  await say(a.presence(false));
  await world.pass(60_000);
  expect(receiver.received).toHaveLength(1);
  const [hits] = await client.ok<{ total: number }[]>('GET', `/customers/${customerId}/rule-hits`);
  expect(hits?.total).toBe(0);
});
