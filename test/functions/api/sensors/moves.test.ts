import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PageOf } from '#shared/domain/page.ts';
import type { Sensor } from '#shared/domain/sensor/sensor.ts';
import { register } from '#test/fixtures/client.ts';
import { PROVISIONING_KEY } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, createHome, fallMessage, linkSensor, nextHardwareId } from '#test/fixtures/home.ts';
import { basicOf, type SensorCloud, startSensorCloud } from '#test/fixtures/sensors.ts';

let its: SensorCloud;
beforeAll(async () => {
  its = await startSensorCloud();
});
afterAll(async () => {
  await its.cloud.stop();
});

describe('moving a sensor to another customer', () => {
  test('the new customer of a moved sensor cannot see earlier data', async () => {
    const { admin, home, now, presence, say, leftOf, furnish } = its;
    const next = await createHome(admin, 'next', ALL_PERMISSIONS);
    const sensor = await linkSensor(home.client);
    const { sensorId } = sensor;
    await furnish(home.client, sensor);
    await say(sensor, fallMessage('calling', now()));
    const moved = await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: next.customerId });
    expect(moved).toMatchObject({ id: sensorId, customerId: next.customerId, isActive: false });
    expect(moved.name).toMatch(/^Sensor /);
    for (const path of ['', '/status', '/events', '/room'])
      expect((await home.client.call('GET', `/sensors/${sensorId}${path}`)).status, path).toBe(404);
    expect(await next.client.ok('GET', `/sensors/${sensorId}`)).toEqual(moved);
    expect(await next.client.ok('GET', `/sensors/${sensorId}/events`)).toMatchObject([{ total: 0 }]);
    expect(await next.client.ok('GET', `/sensors/${sensorId}/status`)).toMatchObject({
      lastSeen: null,
      presence: null,
    });
    expect((await next.client.ok('GET', `/sensors/${sensorId}/room`)).xMax).toBe(180);
    expect((await next.client.ok('GET', basicOf(sensor))).volume).toBe(0);
    expect(await leftOf(home.customerId, sensorId)).toEqual({ around: ['EVENT'], members: 0 });

    await say(sensor, presence(true));
    expect(await next.client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ isActive: true });
    const [{ total } = { total: 0 }] = await next.client.ok<PageOf<object>[]>('GET', `/sensors/${sensorId}/events`);
    expect(total).toBe(2);
  });

  test('a removed sensor can be linked again and keeps its settings', async () => {
    const { admin, home, leftOf } = its;
    const sensor = await linkSensor(home.client);
    const { sensorId } = sensor;
    expect(await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: null })).toMatchObject({
      id: sensorId,
      customerId: null,
    });
    expect((await home.client.call('GET', `/sensors/${sensorId}`)).status).toBe(404);
    const basic = await admin.ok('GET', basicOf(sensor));
    await admin.ok('PUT', basicOf(sensor), { ...basic, name: 'Prepared', volume: 9 });
    const room = await admin.ok('GET', `/sensors/${sensorId}/room`);
    await admin.ok('PUT', `/sensors/${sensorId}/room`, { ...room, xMax: 123 });
    const { pairingCode: code } = await sensor.device.ok('POST', `/devices/${sensorId}/pairing-code`);
    await home.client.ok('POST', '/sensors/link', { manufacturer: 'maker_a', code });
    expect(await home.client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ name: 'Prepared' });
    expect((await home.client.ok('GET', basicOf(sensor))).volume).toBe(9);
    expect((await home.client.ok('GET', `/sensors/${sensorId}/room`)).xMax).toBe(123);
    // Events from when the sensor had no customer are kept, like all events.
    expect((await leftOf(0, sensorId)).around.filter((kind) => kind !== 'EVENT')).toEqual([]);
  });

  test('returns 400 when moving a sensor to an unknown customer', async () => {
    const { admin, home } = its;
    const sensor = await linkSensor(home.client);
    const path = `/sensors/${sensor.sensorId}/customer`;
    const refused = await admin.call('PUT', path, { customerId: 987_654 });
    expect([refused.status, refused.body]).toMatchObject([400, { errors: [{ path: 'customerId' }] }]);
    const before = await home.client.ok('GET', `/sensors/${sensor.sensorId}`);
    expect(await admin.ok('PUT', path, { customerId: home.customerId })).toEqual(before);
    expect((await home.client.call('PUT', path, { customerId: home.customerId })).status).toBe(403);
  });

  test('a sensor has exactly one customer after ten concurrent moves', async () => {
    const { cloud, admin, presence, post, say, leftOf } = its;
    const a = await createHome(admin, 'left', ALL_PERMISSIONS);
    const b = await createHome(admin, 'right', ALL_PERMISSIONS);
    const sensor = await linkSensor(a.client, 'maker_a');
    const { sensorId } = sensor;
    const moves = Array.from({ length: 10 }, (_, at) =>
      admin.call('PUT', `/sensors/${sensorId}/customer`, { customerId: (at % 2 ? a : b).customerId }),
    );
    const messages = Array.from({ length: 10 }, (_, at) => post(sensor, presence(at % 2 === 0)));
    const statuses = (await Promise.all([...moves, ...messages])).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 202, 404, 503].includes(status))).toEqual([]);
    await cloud.idle();
    const lists = await Promise.all(
      [a, b].map(async ({ client }) => (await client.ok<PageOf<Sensor>[]>('GET', '/sensors'))[0]?.total ?? 0),
    );
    expect(lists.toSorted()).toEqual([0, 1]);
    const [owner, other] = lists[0] === 1 ? [a, b] : [b, a];
    await say(sensor, presence(true));
    expect(await owner.client.ok('GET', `/sensors/${sensorId}`)).toMatchObject({ isActive: true });
    expect((await leftOf(other.customerId, sensorId)).around.filter((kind) => kind !== 'EVENT')).toEqual([]);
  });
});

test('links a device that keeps sending messages', async () => {
  const { cloud, admin, home, presence, post } = its;
  for (let round = 0; round < 5; round++) {
    const device = await register(admin, PROVISIONING_KEY, nextHardwareId());
    const sensor = { ...device, device: home.client.as(device.deviceToken) };
    const messages = Array.from({ length: 5 }, (_, at) => post(sensor, presence(at % 2 === 0)));
    const body = { manufacturer: 'maker_a', code: device.pairingCode };
    const link = await home.client.call('POST', '/sensors/link', body);
    expect([link.status, link.body]).toEqual([200, { status: 'OK' }]);
    expect(link.headers.get('x-sensor-id')).toBe(device.sensorId);
    await Promise.all(messages);
    await cloud.idle();
  }
});
