import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { LOCAL_RULE } from '#lib/local/mqtt/host.ts';
import { basicIngest, topicsOf } from '#shared/ingest/topics.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { connect, connectError, createDevice, type MqttDevice, renewToken } from '../fixtures/mqtt.ts';

/** The time at which the clock is stopped, or null while it runs. */
let stopped: number | null = null;
let cloud: Cloud;
let client: Client;
let url: string;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
let device: MqttDevice;
beforeAll(async () => {
  const clock = { ...systemClock, now: () => stopped ?? Date.now() };
  cloud = await startTestCloud({ clock, mqttPort: 0, environment: { QUOTAS: '{"messagesPerSecond":110}' } });
  url = cloud.mqttUrl ?? '';
  ({ client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
});
afterAll(() => cloud.stop());
beforeEach(async () => {
  sensor = await linkSensor(client);
  device = await createDevice(url, sensor);
});
afterEach(() => device.end());

const sent: string[] = [];
/** Returns the UUIDs of the sensor's events that a test sent, oldest first. */
const events = async (): Promise<string[]> => {
  await cloud.idle();
  const [page] = await client.ok<{ data: { uuid: string }[] }[]>(
    'GET',
    `/sensors/${sensor.sensorId}/events?perPage=200`,
  );
  const uuids = (page?.data ?? []).map(({ uuid }) => uuid);
  return uuids.filter((uuid) => sent.includes(uuid)).toReversed();
};
let start = Date.now() - 3_600_000;
/** Creates a new fall with a UUID. */
const fall = () => {
  start += 60_000;
  const uuid = crypto.randomUUID();
  sent.push(uuid);
  return { ...fallMessage('fall_detected', start), uuid };
};

describe('a message published over MQTT', () => {
  test('MQTT messages create events like HTTP messages', async () => {
    const falls = Array.from({ length: 5 }, fall);
    const [first, second, ...both] = falls;
    await device.say(first ?? {});
    await device.client.publishAsync(basicIngest(LOCAL_RULE) + device.topics.messages, JSON.stringify(second), {
      qos: 1,
    });
    await device.say(both.slice(0, 2));
    await device.say(both.slice(2), 0);
    await eventually(async () => expect(await events()).toHaveLength(5));
    expect(await events()).toEqual(falls.map(({ uuid }) => uuid));
    expect(device.heard.refused).toEqual([]);
  });

  test('an MQTT message creates only one event, however often it arrives', async () => {
    const message = fall();
    await device.say(message);
    await device.say(message);
    await device.client.publishAsync(device.topics.messages, JSON.stringify(message), { qos: 1, dup: true });
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
    expect(await events()).toEqual([message.uuid]);
  });

  test('an MQTT message that reuses a uuid with different content counts as new', async () => {
    const message = fall();
    await device.say(message);
    await device.say({ ...fall(), uuid: message.uuid });
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, { ...fall(), uuid: message.uuid });
    await eventually(async () => {
      const [page] = await client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${sensor.sensorId}/events`);
      const count = (name: string) => page?.data.filter(({ action }) => action === name).length;
      expect([count('fall_suspected'), count('uuid_reused')]).toEqual([3, 2]);
    });
  });

  test('an MQTT message is acknowledged only after it is in the queue', async () => {
    const message = fall();
    const { queues } = cloud.runtime;
    const { send } = queues;
    queues.send = (queue, messages) =>
      queue === 'events' ? Promise.reject(new Error('the queue is down')) : send(queue, messages);
    const persistent = await connect(url, sensor, { clean: false, reconnectPeriod: 50 });
    let tries = 0;
    persistent.on('reconnect', () => ++tries);
    let isAcknowledged = false;
    const acknowledged = persistent
      .publishAsync(device.topics.messages, JSON.stringify(message), { qos: 1 })
      .then(() => (isAcknowledged = true));
    await eventually(() => expect(tries).toBeGreaterThan(2));
    expect([await events(), isAcknowledged]).toEqual([[], false]);
    queues.send = send;
    await acknowledged;
    expect(await events()).toEqual([message.uuid]);
    await persistent.endAsync();
  });
});

describe("a device's last will", () => {
  const present = { cmd: 'event', type: 3, data: { 'number-people': 1 } };
  const willOf = (sensorId: string) => ({
    topic: topicsOf(sensorId).messages,
    payload: Buffer.from('{"cmd":"event","type":5,"data":{"status":1}}'),
    qos: 1 as const,
    retain: false,
  });
  /** Links a sensor and connects it with a will. */
  const withWill = async () => {
    const sensor = await linkSensor(client, 'maker_b');
    const open = () => createDevice(url, sensor, { will: willOf(sensor.sensorId) });
    const device = await open();
    await device.say(present);
    await cloud.idle();
    return { sensor, open, device };
  };
  const isActive = async (sensorId: string) => (await client.ok('GET', `/sensors/${sensorId}`)).isActive;
  const inactiveEvents = async (sensorId: string) => {
    await cloud.idle();
    const [page] = await client.ok<{ data: { action: string }[] }[]>('GET', `/sensors/${sensorId}/events?perPage=200`);
    return page?.data.filter(({ action }) => action === 'inactive').length;
  };

  test('a last will takes effect like any other message when the connection breaks', async () => {
    const { sensor, device } = await withWill();
    device.client.stream.destroy();
    await eventually(async () => expect(await isActive(sensor.sensorId)).toBe(false));
  });

  test('a last will has no effect if the device reconnects in time', async () => {
    const { sensor, open, device } = await withWill();
    // A half-open connection: the broker receives nothing more, not even the close.
    device.client.stream.pause();
    const again = await open();
    expect(await inactiveEvents(sensor.sensorId)).toBe(0);
    expect(await isActive(sensor.sensorId)).toBe(true);
    again.client.stream.destroy();
    await eventually(async () => expect(await isActive(sensor.sensorId)).toBe(false));
  });

  test('a last will does not create an event when a device replaces its own connection', async () => {
    const { sensor, open } = await withWill();
    let last = await open();
    for (let count = 1; count < 10; count++) last = await open();
    await last.say(present);
    expect(await inactiveEvents(sensor.sensorId)).toBe(0);
    await last.end();
    expect(await isActive(sensor.sensorId)).toBe(true);
  });

  test.each([
    ['for another topic', (sensorId: string) => ({ topic: topicsOf(sensorId).config })],
    ['for the topic of another sensor', () => ({ topic: topicsOf(sensor.sensorId).messages })],
    ['that is retained', () => ({ retain: true })],
    ['with QoS 2', () => ({ qos: 2 as const })],
  ])('a last will %s is refused at CONNECT', async (_, changed) => {
    const own = await linkSensor(client, 'maker_b');
    const will = { ...willOf(own.sensorId), ...changed(own.sensorId) };
    expect(await connectError(url, own, { will })).toBe(5);
    expect(await connectError(url, own, { will: willOf(own.sensorId) })).toBeNull();
  });
});

describe('a message that cannot be accepted', () => {
  test.each([
    ['malformed JSON', '{"type":5', { reason: 'json' }],
    ['an empty payload', '', { reason: 'json' }],
    ['a NUL', '{"type":5,"a":"\u0000"}', { reason: 'json' }],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), { reason: 'json' }],
    ['a value that is not an object', '[1]', { reason: 'type' }],
    ['a number that is not exact', '-0', { reason: 'type' }],
    ['more than 100 messages', JSON.stringify(Array(101).fill({})), { reason: 'items' }],
    ['more than 128 KiB', `{"a":"${'x'.repeat(128 * 1_024)}"}`, { reason: 'too_large' }],
    ['more than the broker reads of a packet', `{"a":"${'x'.repeat(3_000_000)}"}`, { reason: 'too_large' }],
  ])('an unacceptable message is refused but still acknowledged: %s', async (_, payload, refusal) => {
    await device.say(payload);
    expect(device.heard.refused).toEqual([refusal]);
    const message = fall();
    await device.say(message);
    expect(await events()).toEqual([message.uuid]);
  });

  test('the error for a message over the per-second quota contains the uuid', async () => {
    stopped = Date.now();
    for (const _ of [1, 2]) await device.say(Array(54).fill({ type: 'state', payload: {} }));
    const falls = Array.from({ length: 4 }, fall);
    for (const message of falls) await device.say(message);
    stopped = null;
    const uuids = falls.map(({ uuid }) => uuid);
    expect(await events()).toEqual(uuids.slice(0, 2));
    expect(device.heard.refused).toEqual(uuids.slice(2).map((uuid) => ({ reason: 'rate_limited', uuid })));
  });

  test('warns about a message that was only partly understood', async () => {
    const odd = { ...fall(), payload: { ...fall().payload, fallLocX_cm: 'left' } };
    await device.say(odd);
    await device.say([{ type: 99, payload: {} }, fall()]);
    expect(device.heard.refused).toEqual([
      {
        reason: 'not_understood',
        uuid: odd.uuid,
        warnings: [{ index: 0, message: 'payload.fallLocX_cm does not match the documentation and is ignored' }],
      },
      { reason: 'not_understood', warnings: [{ index: 0, message: expect.stringMatching(/unknown kind/) }] },
    ]);
    expect(await events()).toHaveLength(2);
  });

  test('a message is refused at once after the token has been replaced', async () => {
    const message = fall();
    await renewToken(sensor);
    await device.say(message);
    expect(device.heard.refused).toEqual([{ reason: 'credentials_invalid', uuid: message.uuid }]);
    expect(await events()).toEqual([]);
  });
});
