import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { defaultsOf } from '#shared/domain/config/field.ts';
import { telemetryFields } from '#shared/domain/makers/maker-a/config.ts';
import { fallFields } from '#shared/domain/makers/maker-b/config.ts';
import { defaultRoom } from '#shared/domain/sensor/room-geometry.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { createDevice, type MqttDevice } from '../fixtures/mqtt.ts';

let cloud: Cloud;
let admin: Client;
let client: Client;
let otherHome: number;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
let device: MqttDevice;
let isDown = false;
beforeAll(async () => {
  cloud = await startTestCloud({
    mqttPort: 0,
    wrap: (runtime) => ({
      ...runtime,
      publish: async (...message) => {
        if (isDown) throw new Error('the broker is down');
        await runtime.publish?.(...message);
      },
    }),
  });
  admin = await adminOf(cloud.url);
  ({ client } = await createHome(admin, 'maple', ALL_PERMISSIONS));
  otherHome = (await createHome(admin, 'birch', ALL_PERMISSIONS)).customerId;
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  isDown = false;
  sensor = await linkSensor(client);
  device = await createDevice(cloud.mqttUrl ?? '', sensor);
});
afterEach(() => device.end());

const fetched = () => sensor.device.call('GET', `/devices/${sensor.sensorId}/config`);
const telemetry = () => `/sensors/${sensor.sensorId}/maker_a/config/telemetry`;

describe('the MQTT notification about a changed configuration', () => {
  const change = {
    'a room change': () => client.ok('PUT', `/sensors/${sensor.sensorId}/room`, { ...defaultRoom, yMax: 300 }),
    'a configuration change': () => client.ok('PUT', telemetry(), { ...defaultsOf(telemetryFields), transport: 2 }),
    'a name change': async () => {
      const path = `/sensors/${sensor.sensorId}/maker_a/config/basic`;
      await client.ok('PUT', path, { ...(await client.ok('GET', path)), name: 'Room 1' });
    },
    'a move to another customer, which resets the configuration': () =>
      admin.ok('PUT', `/sensors/${sensor.sensorId}/customer`, { customerId: otherHome }),
  };
  test.each(Object.entries(change))(
    'a device gets one notification with the new configuration version after %s',
    async (_, make) => {
      await client.ok('PUT', `/sensors/${sensor.sensorId}/room`, { ...defaultRoom, yMax: 290 });
      await eventually(() => expect(device.heard.config).toHaveLength(1));
      const before = await fetched();
      await make();
      await eventually(() => expect(device.heard.config).toHaveLength(2));
      const after = await fetched();
      expect(device.heard.config[1]).toEqual({ version: (after.body as { version: string }).version });
      expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    },
  );

  test('a configuration notification reaches maker B devices as well', async () => {
    const theirs = await linkSensor(client, 'maker_b');
    const listening = await createDevice(cloud.mqttUrl ?? '', theirs);
    await client.ok('PUT', `/sensors/${theirs.sensorId}/maker_b/config/fall`, defaultsOf(fallFields));
    await eventually(() => expect(listening.heard.config).toHaveLength(1));
    expect(device.heard.config).toEqual([]);
    await listening.end();
  });

  test('a device is not notified if no configuration was stored', async () => {
    expect((await client.call('PUT', telemetry(), {})).status).toBe(400);
    await client.ok('GET', telemetry());
    await device.say({});
    expect(device.heard.config).toEqual([]);
  });

  test('a configuration change is kept even if the notification cannot be sent', async () => {
    isDown = true;
    const before = await fetched();
    await client.ok('PUT', `/sensors/${sensor.sensorId}/room`, { ...defaultRoom, yMax: 280 });
    expect((await fetched()).headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(device.heard.config).toEqual([]);
  });
});
