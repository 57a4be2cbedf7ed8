import { drawToken, hashOf } from '#shared/auth/tokens.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { deviceIdOf } from '#shared/domain/sensor/sensor.ts';
import type { Runtime } from '#shared/runtime/deps.ts';
import { store } from '#shared/store/store.ts';
import { type Api, apiClient } from './client.ts';
import { enter, findPerson } from './person.ts';
import { ESCALATES_AFTER, HEAD_NURSE, NURSE } from './staff.ts';

/** Hardware ids of the sensors of the demo. */
const HARDWARE = ['02DE00000001', '02DE00000002', '02DE00000003'] as const;

export type DemoSensor = { sensorId: string; deviceToken: string };
export type Demo = { password: string | null; token: string; customerId: number; sensors: DemoSensor[] };
/** Does a part of the demo home. When it fails, it is left out: null, and somebody is told why. */
export type Attempt = <T>(part: string, act: () => Promise<T>) => Promise<T | null>;

type Registered = DemoSensor & { pairingCode: string };

/** Registers a device of the demo, and links it to the demo's customer. */
const addSensor = async (api: Api, base: string, key: string, hardwareId: string): Promise<DemoSensor> => {
  const body = { manufacturer: 'maker_a', hardwareId, firmwareVersion: 42 };
  const device = await apiClient(base, key).post<Registered>('/devices/register', body);
  await api.post('/sensors/link', { manufacturer: 'maker_a', code: device.pairingCode });
  return device;
};

/** Registers the demo's devices with a temporary provisioning key. Those that are known already get a new token. */
const addSensors = async ({ table, now, random }: Runtime, base: string, api: Api, attempt: Attempt) => {
  const key = drawToken('provisioning', random);
  const id = randomUuid(random);
  const { provisioning } = store(table);
  await provisioning.put(hashOf(key), {
    id,
    name: 'demo',
    manufacturer: 'maker_a',
    createDate: now(),
    expires: null,
    maxDevices: null,
  });
  const [page] = await api.get<{ data: { id: string }[] }[]>('/sensors?perPage=200');
  const known = new Set(page?.data.map(({ id: sensorId }) => sensorId));
  const sensors: DemoSensor[] = [];
  for (const hardwareId of HARDWARE) {
    const sensor = await attempt(`its sensor ${hardwareId}`, async () => {
      const sensorId = deviceIdOf(hardwareId);
      if (known.has(sensorId)) await api.post(`/sensors/${sensorId}/registration`, {});
      return addSensor(api, base, key, hardwareId);
    });
    if (sensor) sensors.push(sensor);
  }
  await provisioning.remove(id);
  return sensors;
};

type Recipient = { botId: number; webhookId: string };

/** Falls are told to the head nurse, too, when nobody answers. */
const addRules = async (api: Api, nurse: Recipient, head: Recipient, attempt: Attempt): Promise<void> => {
  const texts = { title: '{sensor}: {situation}', message: '{location}, {time}' };
  const names = { fall_detected: 'Falls', occupied_room: 'Somebody comes', empty_room: 'Everybody leaves' };
  for (const [situation, name] of Object.entries(names))
    await attempt(`its rule for ${situation}`, () => {
      const escalation = situation === 'fall_detected' ? [{ afterSeconds: ESCALATES_AFTER, recipients: [head] }] : [];
      return api.post('/rules', { name, ...texts, situation, recipients: [nurse], escalation });
    });
};

const addStaff = async (api: Api, name: string, url: string): Promise<Recipient> => {
  const bot = await api.post<{ id: number }>('/bots', { name });
  const target = { name, url, format: 'full', isCustomerHook: false, botId: bot.id };
  const webhook = await api.post<{ id: string }>('/webhooks', target);
  return { botId: bot.id, webhookId: webhook.id };
};

/** Updates the URL of the webhooks, because the receiver may have another address at a later start. */
const follow = async (api: Api, url: string): Promise<void> => {
  const [page] = await api.get<{ data: { id: string; name: string; url: string }[] }[]>('/webhooks?perPage=200');
  const moved = page?.data.filter((webhook) => [NURSE, HEAD_NURSE].includes(webhook.name) && webhook.url !== url);
  for (const webhook of moved ?? []) await api.send('PUT', `/webhooks/${webhook.id}`, { ...webhook, url });
};

const addAlarms = async (api: Api, url: string, attempt: Attempt): Promise<void> => {
  const [page] = await api.get<{ total: number }[]>('/rules');
  if (page && page.total > 0) return follow(api, url);
  const staff = await attempt('its bots and webhooks, and so without rules', async () => {
    const nurse = await addStaff(api, NURSE, url);
    return { nurse, head: await addStaff(api, HEAD_NURSE, url) };
  });
  if (staff) await addRules(api, staff.nurse, staff.head, attempt);
};

/**
 * Creates the demo's care home, once per data folder, and finds it again at later starts. `receiver` is the URL that
 * gets its alarms. Throws when there cannot be a user of the demo; anything else that fails is left out.
 */
export const seedDemo = async (runtime: Runtime, base: string, receiver: string, attempt: Attempt): Promise<Demo> => {
  const person = await findPerson(runtime, HARDWARE.map(deviceIdOf));
  const token = await enter(runtime, person);
  const api = apiClient(base, token);
  const sensors = await addSensors(runtime, base, api, attempt);
  await attempt('its alarms', () => addAlarms(api, receiver, attempt));
  return { password: person.password, token, customerId: person.customerId, sensors };
};
