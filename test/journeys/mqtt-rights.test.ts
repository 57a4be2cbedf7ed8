import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { generate } from 'mqtt-packet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { topicsOf } from '#shared/ingest/topics.ts';
import type { Client } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import { eventually } from '../fixtures/eventually.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '../fixtures/home.ts';
import { closed, connect, connectError, createDevice, renewToken } from '../fixtures/mqtt.ts';

let cloud: Cloud;
let client: Client;
let url: string;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
let other: typeof sensor;
/** Timers with a delay of at least a minute. They belong to the connections, and only the test runs them. */
const timers = new Set<() => void>();
let accepted = 0;
beforeAll(async () => {
  const after = (ms: number, run: () => void) => {
    if (ms < 60_000) return systemClock.after(ms, run);
    timers.add(run);
    return () => timers.delete(run);
  };
  cloud = await startTestCloud({
    clock: { ...systemClock, after },
    mqttPort: 0,
    wrap: (runtime) => {
      const send: typeof runtime.queues.send = (queue, messages) => {
        accepted += Number(queue === 'events');
        return runtime.queues.send(queue, messages);
      };
      return { ...runtime, queues: { ...runtime.queues, send } };
    },
  });
  url = cloud.mqttUrl ?? '';
  ({ client } = await createHome(await adminOf(cloud.url), 'maple', ALL_PERMISSIONS));
  sensor = await linkSensor(client);
  other = await linkSensor(client);
});
afterAll(() => cloud.stop());
const runTimers = () => {
  const due = [...timers];
  timers.clear();
  for (const run of due) run();
};

describe('an MQTT connection', () => {
  test('a device can connect to MQTT with its sensor id and token', async () => {
    expect(await connectError(url, sensor)).toBeNull();
  });

  test.each([
    ['no token', 4, () => ({ password: '' })],
    ['an unknown token', 4, () => ({ password: 'wrong' })],
    ['binary data as token', 4, () => ({ password: Buffer.from([0xff, 0x00, 0xfe]) })],
    ['the token of another sensor', 4, () => ({ password: other.deviceToken })],
    ['a session token', 4, () => ({ password: client.token ?? '' })],
    ['the username of another sensor', 4, () => ({ username: other.sensorId })],
    ['no username', 4, () => ({ username: '' })],
    ['the client id of another sensor', 2, () => ({ clientId: other.sensorId })],
    ['no client id', 2, () => ({ clientId: '' })],
  ])('a connection using %s is rejected with return code %i', async (_, code, more) => {
    expect(await connectError(url, sensor, more())).toBe(code);
  });

  test('an MQTT connection ends when the same device connects again', async () => {
    const first = await connect(url, sensor);
    const firstClosed = closed(first);
    const second = await createDevice(url, sensor);
    await firstClosed;
    await second.say({});
    await second.end();
  });

  test('a connection ends within 5 minutes after the token is replaced', async () => {
    const renewed = await linkSensor(client);
    const device = await createDevice(url, renewed);
    runTimers();
    await device.say({});
    expect(device.client.connected).toBe(true);
    await renewToken(renewed);
    const connectionClosed = closed(device.client);
    await eventually(() => expect(timers.size).toBeGreaterThan(0));
    runTimers();
    await connectionClosed;
  });
});

describe('a device without the required right', () => {
  const topicOfOther = () => topicsOf(other.sensorId).messages;
  const own = () => topicsOf(sensor.sensorId);
  test.each([
    ['publishes for another sensor', () => topicOfOther(), {}, 'topic'],
    ['publishes to a topic that another sensor receives', () => topicsOf(other.sensorId).config, {}, 'topic'],
    ['publishes to a topic that it receives itself', () => own().config, {}, 'topic'],
    ['publishes elsewhere', () => 'v1/devices', {}, 'topic'],
    ['publishes as the broker', () => '$SYS/x', {}, 'topic'],
    ['publishes a retained message', () => own().messages, { retain: true }, 'retained'],
    ['publishes with QoS 2', () => own().messages, { qos: 2 as const }, 'qos'],
  ])('a device gets an error with the reason when it %s', async (_, topic, more, reason) => {
    const device = await createDevice(url, sensor);
    const listener = await createDevice(url, other);
    const before = accepted;
    await device.client.publishAsync(topic(), '{}', { qos: 1, ...more });
    await device.say({});
    expect([accepted, listener.heard]).toEqual([before + 1, { config: [], refused: [] }]);
    expect(device.heard.config).toEqual([]);
    expect(device.heard.refused[0]).toEqual({ reason });
    await Promise.all([device.end(), listener.end()]);
  });

  test('a refused retained message is not stored', async () => {
    const device = await createDevice(url, sensor);
    await device.client.publishAsync(topicsOf(other.sensorId).config, '{}', { qos: 1, retain: true });
    await device.end();
    const listener = await createDevice(url, other);
    await listener.say({ type: 'state', payload: {} });
    expect(listener.heard).toEqual({ config: [], refused: [] });
    await listener.end();
  });

  test.each([
    ['the topics of another sensor', () => topicsOf(other.sensorId).refused],
    ['its own messages', () => own().messages],
    ['a topic with a wildcard', () => 'v1/devices/+/refused'],
    ['everything', () => '#'],
    ['the broker', () => '$SYS/#'],
  ])('a device gets an error when it subscribes to %s', async (_, topic) => {
    const mqtt = await connect(url, sensor);
    await expect(mqtt.subscribeAsync(topic())).rejects.toThrow(/Subscribe error|Unspecified error/);
    await mqtt.endAsync();
  });
});

describe('the MQTT broker', () => {
  const hello = () =>
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      keepalive: 0,
      clientId: sensor.sensorId,
      username: sensor.sensorId,
      password: Buffer.from(sensor.deviceToken),
    });
  /** A PUBLISH with these bytes as its topic. */
  const publish = (topic: Buffer) => {
    const length = Buffer.from([topic.length >> 8, topic.length & 255]);
    return Buffer.concat([Buffer.from([0x30, topic.length + 4]), length, topic, Buffer.from('{}')]);
  };
  test.each([
    ['bytes that are not MQTT', () => Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a packet before CONNECT', () => publish(Buffer.from('a'))],
    ['two CONNECTs', () => Buffer.concat([hello(), hello()])],
    ['a length without end', () => Buffer.concat([hello(), Buffer.from([0x30, 255, 255, 255, 255, 1])])],
    ['a SUBSCRIBE that claims to be 256 MB', () => Buffer.concat([hello(), Buffer.from([0x82, 255, 255, 255, 127])])],
    ['an empty topic', () => Buffer.concat([hello(), publish(Buffer.alloc(0))])],
    [
      'a topic with NUL',
      () => Buffer.concat([hello(), publish(Buffer.from(`${topicsOf(sensor.sensorId).messages}\0`))]),
    ],
    ['a topic that is not UTF-8', () => Buffer.concat([hello(), publish(Buffer.from([0xc3, 0x28]))])],
    ['a topic with a wildcard', () => Buffer.concat([hello(), publish(Buffer.from('v1/devices/+/messages'))])],
    ['a reserved packet', () => Buffer.concat([hello(), Buffer.from([0xf0, 0])])],
  ])('the MQTT broker closes only the connection that sends %s', async (_, bytes) => {
    const bystander = await createDevice(url, other);
    const before = accepted;
    const socket = connectSocket(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    const ended = once(socket, 'close');
    socket.write(bytes());
    await ended;
    expect(accepted).toBe(before);
    await bystander.say({});
    expect(accepted).toBe(before + 1);
    await bystander.end();
  });
});
