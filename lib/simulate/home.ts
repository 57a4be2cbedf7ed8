import { randomBytes, randomUUID } from 'node:crypto';
import { type Api, apiClient, logIn } from '../local/demo/client.ts';
import { connectSensor, type SensorConnection } from '../local/demo/sensor-connection.ts';
import { makerOf } from './makers.ts';
import { homeRules, isInGroup, type Listener, listeners, night } from './rules.ts';

/** How a cloud is reached. Sensors send by MQTT to `mqttUrl`; they send over HTTP when it is missing or null. */
export type Access = {
  base: string;
  mqttUrl?: string | null;
  username: string;
  password: string;
  provisioningKey: string;
};
type Device = { sensorId: string } & SensorConnection;
/** A webhook of the home. The listener `everything` gets all events, `bytes` gets the raw messages of the devices. */
export type Hook = { id: string; listener: Listener | 'everything' | 'bytes' };
export type Home = {
  customerId: number;
  devices: Device[];
  /** The webhooks by the token that their requests carry. */
  hooks: Map<string, Hook>;
  /** The names of the rules by their ids. */
  rules: Map<number, string>;
  /** Logs in a user of the home. A session lasts a day only, so it is called again in longer runs. */
  enter: () => Promise<Api>;
};

const region = (kind: string, name: string, left: number) => ({
  kind,
  name,
  id: randomUUID(),
  topLeftX: left,
  topLeftY: 200,
  bottomRightX: left + 50,
  bottomRightY: 100,
});
const roomWith = (regions: object[]) => ({
  sensorMounting: 'wall',
  xMin: 180,
  xMax: 180,
  yMax: 350,
  yMin: 30,
  zMin: 0,
  zMax: 180,
  sensorHeight: 150,
  enterDuration: 120,
  exitDuration: 120,
  regions,
});

/** Disconnects all sensors of a home. */
export const silence = async ({ devices }: Home): Promise<void> =>
  void (await Promise.all(devices.map(({ end }) => end())));

/** Deletes the webhooks of a home. Otherwise a cloud that continues to run would retry their deliveries for days. */
export const closeHooks = async ({ enter, hooks }: Home): Promise<void> => {
  const api = await enter();
  for (const { id } of hooks.values()) await api.send('DELETE', `/webhooks/${id}`);
};

/** Creates a customer, and a user with the permissions to set it up. */
const createHome = async ({ base, username, password }: Access) => {
  const { api } = await logIn(base, username, password);
  const tag = randomBytes(3).toString('hex');
  const { id: customerId } = await api.post<{ id: number }>('/customers', {
    name: `Simulated home ${tag}`,
    location: 'Ground floor',
    email: '',
  });
  const person = { username: `simulator-${tag}`, password: randomBytes(12).toString('base64url') };
  await api.post('/users', {
    ...person,
    customerId,
    firstName: 'Simulated',
    lastName: 'Nurse',
    email: '',
    permissions: ['manage_sensors', 'manage_customers', 'edit_sensor_room', 'manage_bots', 'manage_rules'],
  });
  return { customerId, enter: async () => (await logIn(base, person.username, person.password)).api };
};

/** The last four digits of a hardware id are the number of the sensor: see sensorOf. */
const hardwareId = (sensor: number): string =>
  `${randomBytes(4).toString('hex')}${sensor.toString(16).padStart(4, '0')}`.toUpperCase();
/** Gives the number of a sensor from its name, which ends like its hardware id. */
export const sensorOf = (name: string): number => Number.parseInt(name.slice(-4), 16);

type Registered = { sensorId: string; deviceToken: string; pairingCode: string };
const addSensor = async (api: Api, access: Access, sensor: number): Promise<Device & { bedId: string }> => {
  const manufacturer = makerOf(sensor);
  const body = { manufacturer, hardwareId: hardwareId(sensor), firmwareVersion: 42 };
  const registered = await apiClient(access.base, access.provisioningKey).post<Registered>('/devices/register', body);
  const { sensorId, pairingCode } = registered;
  await api.post('/sensors/link', { manufacturer, code: pairingCode });
  const bed = region('bed', 'Bed', -100);
  await api.send('PUT', `/sensors/${sensorId}/room`, roomWith([bed, region('door', 'Door', 0)]));
  return { sensorId, ...(await connectSensor(access.base, access.mqttUrl ?? null, registered)), bedId: bed.id };
};

type Created = { id: string; token: string };
/** Creates webhooks for all events and for raw messages, and a bot with a webhook for each listener of rules. */
const addHooks = async (api: Api, url: string) => {
  const hooks = new Map<string, Hook>();
  for (const [listener, format] of [
    ['everything', 'full'],
    ['bytes', 'raw'],
  ] as const) {
    const { id, token } = await api.post<Created>('/webhooks', { name: listener, url, format, isCustomerHook: true });
    hooks.set(token, { id, listener });
  }
  const recipients = new Map<Listener, { botId: number; webhookId: string }>();
  for (const [listener, format] of Object.entries(listeners) as [Listener, string][]) {
    const { id: botId } = await api.post<{ id: number }>('/bots', { name: listener });
    const hook = await api.post<Created>('/webhooks', { name: listener, url, format, isCustomerHook: false, botId });
    hooks.set(hook.token, { id: hook.id, listener });
    recipients.set(listener, { botId, webhookId: hook.id });
  }
  return { hooks, recipients };
};

/** Creates the rules of the home; gives their names by their ids. */
const addRules = async (
  api: Api,
  recipients: Awaited<ReturnType<typeof addHooks>>['recipients'],
  sensors: readonly (Device & { bedId: string })[],
): Promise<Map<number, string>> => {
  const sensorIds = sensors.filter((_, sensor) => isInGroup(sensor)).map(({ sensorId }) => sensorId);
  const group = await api.post<{ id: number }>('/sensor-groups', { name: 'Ground floor', sensorIds });
  const [first] = sensors;
  const scopes = {
    home: {},
    group: { sensorGroupId: group.id },
    first: { sensorId: first?.sensorId },
    first_bed: { sensorId: first?.sensorId, regionId: first?.bedId },
  };
  const rules = new Map<number, string>();
  for (const { name, situation, scope, isNightly, rateLimitSeconds, tells } of homeRules) {
    const { id } = await api.post<{ id: number }>('/rules', {
      name,
      situation,
      rateLimitSeconds,
      ...scopes[scope],
      ...(isNightly && { schedule: night }),
      title: '{sensor}: {situation}',
      message: '{location}, {region}, {time}',
      recipients: tells.map((listener) => recipients.get(listener)),
    });
    rules.set(id, name);
  }
  return rules;
};

/**
 * Creates over the API a home with sensors of both makers, rules, and webhooks for alarms and for all events. `pace`
 * is awaited after each sensor, because a cloud that limits the rate of calls would refuse some.
 */
export const buildHome = async (
  access: Access,
  sensors: number,
  receiver: string,
  pace: () => Promise<void>,
): Promise<Home> => {
  const { customerId, enter } = await createHome(access);
  const api = await enter();
  const { hooks, recipients } = await addHooks(api, receiver);
  await pace();
  const devices: (Device & { bedId: string })[] = [];
  for (let sensor = 0; sensor < sensors; sensor++) {
    devices.push(await addSensor(api, access, sensor));
    await pace();
  }
  const rules = await addRules(api, recipients, devices);
  return { customerId, devices, hooks, rules, enter };
};
