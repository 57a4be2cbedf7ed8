import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { items } from '#shared/store/table.ts';
import type { Client } from '../fixtures/client.ts';
import { clientOf } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { freePort, startHost } from '../fixtures/host.ts';
import { connect, createDevice } from '../fixtures/mqtt.ts';

const SENSORS = 1_000;
const HOUR = 3_600_000;

type Listed = { data: { uuid: string }[] };
const uuidsOf = async (client: Client, sensorId: string, perPage = 200): Promise<string[]> => {
  const [page] = await client.ok<Listed[]>('GET', `/sensors/${sensorId}/events?perPage=${perPage}`);
  return (page?.data ?? []).map(({ uuid }) => uuid).toReversed();
};
/** Creates consecutive falls with unique UUIDs. */
const fallsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...fallMessage('fall_detected', Date.now() - HOUR + at * 1_000),
    uuid: crypto.randomUUID(),
  }));

describe('many MQTT devices', () => {
  let cloud: Cloud;
  let accepted = 0;
  beforeAll(async () => {
    cloud = await startTestCloud({
      mqttPort: 0,
      wrap: (runtime) => {
        const send: typeof runtime.queues.send = async (queue, messages) => {
          // The messages are only counted.
          if (queue === 'events') accepted += messages.length;
        };
        return { ...runtime, queues: { ...runtime.queues, send } };
      },
    });
  });
  afterAll(() => cloud.stop());

  test('1,000 devices reconnect at once without losing a message', async () => {
    const url = cloud.mqttUrl ?? '';
    const sensors = Array.from({ length: SENSORS }, (_, at) => ({
      sensorId: `id_many${at}`.padEnd(12, '_'),
      deviceToken: drawToken('device', cloud.runtime.random),
    }));
    const puts = sensors.map(({ sensorId, deviceToken }) => {
      const hash = hashSecret(deviceToken);
      return { put: { ...items.device({ hash }), hash, sensorId, manufacturer: 'maker_a', customerId: 0 } };
    });
    for (let at = 0; at < SENSORS; at += 100) await cloud.runtime.table.write(...puts.slice(at, at + 100));
    const more = { reconnectPeriod: 1, connectTimeout: 60_000 };
    const clients: MqttClient[] = [];
    // Otherwise, after a failure, the clients would go on calling a port that other tests use next.
    onTestFinished(async () => {
      await Promise.all(clients.map((client) => client.endAsync(true)));
    });
    for (let at = 0; at < SENSORS; at += 100)
      clients.push(...(await Promise.all(sensors.slice(at, at + 100).map((sensor) => connect(url, sensor, more)))));
    const back = clients.map((client) => new Promise<void>((resolve) => client.once('connect', () => resolve())));
    // All connections end at the same moment, as in an outage.
    for (const { stream } of clients) stream.destroy();
    await Promise.all(back);
    await Promise.all(
      clients.map((client, at) =>
        client.publishAsync(`v1/devices/${sensors[at]?.sensorId}/messages`, '{}', { qos: 1 }),
      ),
    );
    expect(accepted).toBe(SENSORS);
  });
});

describe("a sensor's messages over MQTT", () => {
  let cloud: Cloud;
  let client: Client;
  beforeAll(async () => {
    cloud = await startTestCloud({ mqttPort: 0 });
    ({ client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
  });
  afterAll(() => cloud.stop());

  const eventsOf = async (sensorId: string, sent: readonly { uuid: string }[]) => {
    await cloud.idle();
    const uuids = sent.map(({ uuid }) => uuid);
    return { uuids, events: (await uuidsOf(client, sensorId)).filter((uuid) => uuids.includes(uuid)) };
  };

  test("a sensor's messages stay in order while many are in flight", async () => {
    const sensor = await linkSensor(client);
    const device = await createDevice(cloud.mqttUrl ?? '', sensor);
    const falls = fallsOf(30);
    await Promise.all(falls.map((fall, at) => device.say(fall, at % 3 === 0 ? 0 : 1)));
    const { events, uuids } = await eventsOf(sensor.sensorId, falls);
    expect(events).toEqual(uuids);
    await device.end();
  });

  test("a sensor's messages stay in order across MQTT and HTTP", async () => {
    const sensor = await linkSensor(client);
    const device = await createDevice(cloud.mqttUrl ?? '', sensor);
    const falls = fallsOf(20);
    for (const [at, message] of falls.entries())
      await (at % 2 ? device.say(message) : sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message));
    const { events, uuids } = await eventsOf(sensor.sensorId, falls);
    expect(events).toEqual(uuids);
    await device.end();
  });
});

test('no acknowledged message is lost if the process is killed between PUBLISH and PUBACK', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mqtt-killed-'));
  const environment = { DATA_DIR: dataDir, PORT: await freePort(), MQTT_PORT: '0' };
  const urlIn = (lines: readonly string[]) =>
    lines.find((line) => line.startsWith('mqtt '))?.slice('mqtt '.length) ?? '';
  try {
    const host = await startHost(environment);
    const { client } = await createHome(await adminOf(host.url), 'maple', ALL_PERMISSIONS);
    const sensor = await linkSensor(client);
    const device = await createDevice(urlIn(host.lines), sensor);
    const falls = fallsOf(60);
    const acknowledged: string[] = [];
    let killed: Promise<unknown> | undefined;
    for (const fall of falls)
      void device.say(fall).then(
        () => {
          acknowledged.push(fall.uuid);
          if (acknowledged.length === 20) killed = host.end('SIGKILL');
        },
        () => {},
      );
    await eventually(() => expect(killed).toBeDefined());
    await killed;
    expect(acknowledged.length).toBeLessThan(falls.length);
    const again = await startHost(environment);
    const back = clientOf(again.url, client.token);
    await eventually(async () =>
      expect(await uuidsOf(back, sensor.sensorId)).toEqual(expect.arrayContaining(acknowledged)),
    );
    // Unacknowledged messages are resent, and create one event.
    const next = await createDevice(urlIn(again.lines), sensor);
    for (const fall of falls) await next.say(fall);
    await eventually(async () => {
      const events = (await uuidsOf(back, sensor.sensorId)).filter((uuid) => falls.some((fall) => fall.uuid === uuid));
      expect(events.toSorted()).toEqual(falls.map(({ uuid }) => uuid).toSorted());
    });
    await next.end();
    await again.end('SIGTERM');
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
