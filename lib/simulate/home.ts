import { randomBytes, randomUUID } from 'node:crypto';
import { type Client, createClient } from '#lib/client/client.ts';
import type { FakeDevice } from '#lib/client/fake-device.ts';
import { ok } from '#lib/client/problem.ts';
import { createHome, type Home as SharedHome, withRandomSuffix } from '#lib/home/home.ts';
import { connectSensor, type SensorConnection } from '#lib/home/sensor-connection.ts';
import type { RoomUpdate } from '#openapi';
import { makerOf } from './makers.ts';
import { homeRules, isInGroup, type Listener, listeners, night } from './rules.ts';

/** Access to a cloud. Sensors use MQTT if there is an `mqttUrl`, otherwise HTTP. */
export type Access = {
  base: string;
  mqttUrl?: string | null;
  username: string;
  password: string;
  provisioningKey: string;
};
type Device = { sensorId: string } & SensorConnection;
/** A webhook in the home. The `everything` listener receives all events, and `bytes` receives raw device messages. */
export type Hook = { id: string; listener: Listener | 'everything' | 'bytes' };
export type Home = {
  customerId: number;
  /** Authenticated as a user in the home. */
  client: Client;
  devices: Device[];
  /** The webhooks by the token they send. */
  hooks: Map<string, Hook>;
  /** Rule names by id. */
  rules: Map<number, string>;
};

const region = (kind: 'bed' | 'door', name: string, left: number) => ({
  kind,
  name,
  id: randomUUID(),
  topLeftX: left,
  topLeftY: 200,
  bottomRightX: left + 50,
  bottomRightY: 100,
});
const room = {
  xMin: 180,
  xMax: 180,
  yMax: 350,
  yMin: 30,
  zMin: 0,
  zMax: 180,
  sensorMounting: 'wall',
  sensorHeight: 150,
  enterDuration: 120,
  exitDuration: 120,
} as const;

/** Disconnects all sensors in a home. */
export const disconnectSensors = async ({ devices }: Home): Promise<void> =>
  void (await Promise.all(devices.map(({ end }) => end())));

/** Deletes all webhooks in a home, because a cloud that keeps running would retry the deliveries for days. */
export const deleteWebhooks = async ({ client, hooks }: Home): Promise<void> => {
  for (const { id } of hooks.values())
    await ok(client.DELETE('/webhooks/{webhookId}', { params: { path: { webhookId: id } } }));
};

/** Returns a hardware id whose last four digits are the sensor number (see sensorOf). */
const hardwareId = (sensor: number): string =>
  `${randomBytes(4).toString('hex')}${sensor.toString(16).padStart(4, '0')}`.toUpperCase();
/** Returns the sensor number from a name, which ends in the same digits as the hardware id. */
export const sensorOf = (name: string): number => Number.parseInt(name.slice(-4), 16);

type Sensor = { device: FakeDevice; bedId: string };
const addSensor = async (home: SharedHome, provisioningKey: string, sensor: number): Promise<Sensor> => {
  const device = await home.addSensor({
    provisioningKey,
    manufacturer: makerOf(sensor),
    hardwareId: hardwareId(sensor),
  });
  const bed = region('bed', 'Bed', -100);
  // The API has defaults for the other region fields.
  const regions = [bed, region('door', 'Door', 0)] as RoomUpdate['regions'];
  const params = { path: { sensorId: device.sensorId } };
  await ok(home.client.PUT('/sensors/{sensorId}/room', { params, body: { ...room, regions } }));
  return { device, bedId: bed.id };
};

/** Creates webhooks for all events and for raw messages, and a bot with a webhook for each rule listener. */
const addHooks = async (home: SharedHome, url: string) => {
  const hooks = new Map<string, Hook>();
  const everything = await home.addWebhook({ name: 'everything', url, isCustomerHook: true });
  hooks.set(everything.token, { id: everything.id, listener: 'everything' });
  const bytes = await home.addWebhook({ name: 'bytes', url, format: 'raw', isCustomerHook: true });
  hooks.set(bytes.token, { id: bytes.id, listener: 'bytes' });
  const recipients = new Map<Listener, { botId: number; webhookId: string }>();
  for (const [listener, format] of Object.entries(listeners) as [Listener, 'full' | 'custom1'][]) {
    const { webhook, recipient } = await home.addRecipient(listener, { url, format });
    hooks.set(webhook.token, { id: webhook.id, listener });
    recipients.set(listener, recipient);
  }
  return { hooks, recipients };
};

/** Creates the rules for a home. Returns the names by id. */
const addRules = async (
  home: SharedHome,
  recipients: Awaited<ReturnType<typeof addHooks>>['recipients'],
  sensors: readonly Sensor[],
): Promise<Map<number, string>> => {
  const sensorIds = sensors.filter((_, sensor) => isInGroup(sensor)).map(({ device }) => device.sensorId);
  const group = await ok(home.client.POST('/sensor-groups', { body: { name: 'Ground floor', sensorIds } }));
  const [first] = sensors;
  const sensorId = first?.device.sensorId ?? null;
  const scopes = {
    home: {},
    group: { sensorGroupId: group.id },
    first: { sensorId },
    first_bed: { sensorId, regionId: first?.bedId ?? null },
  };
  const rules = new Map<number, string>();
  for (const { name, situation, scope, isNightly, rateLimitSeconds, recipients: ruleListeners } of homeRules) {
    const { id } = await home.addRule({
      name,
      situation,
      rateLimitSeconds,
      ...scopes[scope],
      schedule: isNightly ? night : null,
      message: '{location}, {region}, {time}',
      recipients: ruleListeners.flatMap((listener) => recipients.get(listener) ?? []),
    });
    rules.set(id, name);
  }
  return rules;
};

/**
 * Creates a home through the API, with sensors from both makers, rules, and webhooks for alarms and for all events.
 * `pace` is awaited after each sensor, to stay below the cloud rate limit.
 */
export const buildHome = async (
  access: Access,
  count: number,
  receiver: string,
  pace: () => Promise<void>,
): Promise<Home> => {
  const { base, mqttUrl = null, username, password } = access;
  const home = await createHome(createClient({ baseUrl: base, username, password }), {
    reached: { baseUrl: base },
    name: withRandomSuffix('Simulated home '),
    location: 'Ground floor',
    user: {
      username: withRandomSuffix('simulator-'),
      permissions: ['manage_sensors', 'manage_customers', 'edit_sensor_room', 'manage_bots', 'manage_rules'],
    },
  });
  const { hooks, recipients } = await addHooks(home, receiver);
  await pace();
  const sensors: Sensor[] = [];
  const devices: Device[] = [];
  for (let number = 0; number < count; number++) {
    const sensor = await addSensor(home, access.provisioningKey, number);
    sensors.push(sensor);
    const { sensorId } = sensor.device;
    devices.push({ sensorId, ...(await connectSensor(sensor.device, mqttUrl)) });
    await pace();
  }
  const rules = await addRules(home, recipients, sensors);
  const { customerId, client } = home;
  return { customerId, client, devices, hooks, rules };
};
