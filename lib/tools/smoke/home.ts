import { randomBytes } from 'node:crypto';
import { type Api, apiClient, logIn } from '#lib/local/demo/client.ts';
import type { Steps } from './steps.ts';

type Id = { id: number };
export type Home = { api: Api; customerId: number; sensorId: string; device: Api; webhookId: string };
/** `deviceBase` is the address that devices call, with /api/v1; `secret` signs the requests of the webhook. */
type Setting = { base: string; deviceBase: string; receiver: string; secret: string };

/** The provisioning key: it registers one device, within ten minutes. */
const shortKey = (now: number) => ({ name: 'smoke', manufacturer: 'maker_a', expires: now + 600_000, maxDevices: 1 });
const PERMISSIONS = ['manage_sensors', 'manage_bots', 'manage_rules'];

/** Creates a customer with one user, and logs the user in. */
const moveIn = async (admin: Api, base: string, { step, undoLater }: Steps) => {
  const name = `Smoke test ${randomBytes(3).toString('hex')}`;
  const customer = await step('make a customer', () => admin.post<Id>('/customers', { name, location: '', email: '' }));
  undoLater('the customer', () => admin.send('DELETE', `/customers/${customer.id}`));
  const username = `smoke-${randomBytes(6).toString('hex')}`;
  const password = randomBytes(18).toString('base64url');
  const person = { firstName: 'Smoke', lastName: 'Test', email: '', permissions: PERMISSIONS };
  const login = { customerId: customer.id, username, password, ...person };
  const user = await step('make a user', () => admin.post<Id>('/users', login));
  undoLater('the user', () => admin.send('DELETE', `/users/${user.id}`));
  const { api } = await step('log the user in', () => logIn(base, username, password));
  return { api, customerId: customer.id };
};

/** Registers a device that does not exist elsewhere at the API of the devices, and links it to the user's customer. */
const linkSensor = async (admin: Api, api: Api, deviceBase: string, { step, undoLater }: Steps) => {
  const key = await step('make a provisioning key', () =>
    admin.post<{ id: string; key: string }>('/provisioning-keys', shortKey(Date.now())),
  );
  undoLater('the provisioning key', () => admin.send('DELETE', `/provisioning-keys/${key.id}`));
  // The hardware id is a locally administered address, which no real device has.
  const body = { manufacturer: 'maker_a', hardwareId: `02${randomBytes(5).toString('hex')}`, firmwareVersion: 1 };
  type Device = { sensorId: string; deviceToken: string; pairingCode: string };
  const device = await step('register a device', () =>
    apiClient(deviceBase, key.key).post<Device>('/devices/register', body),
  );
  const { sensorId } = device;
  undoLater('the sensor', async () => {
    // An active sensor cannot be deleted. A sensor without a customer is not active.
    await admin.send('PUT', `/sensors/${sensorId}/customer`, { customerId: null });
    await admin.send('DELETE', `/sensors/${sensorId}`);
  });
  const link = { manufacturer: 'maker_a', code: device.pairingCode };
  await step('link the sensor', () => api.post('/sensors/link', link));
  return { sensorId, device: apiClient(deviceBase, device.deviceToken) };
};

/** Creates a bot whose webhook is told of the sensor's falls. */
const watchFalls = async (api: Api, sensorId: string, { receiver, secret }: Setting, { step, undoLater }: Steps) => {
  const bot = await step('make a bot', () => api.post<Id>('/bots', { name: 'Smoke test' }));
  undoLater('the bot', () => api.send('DELETE', `/bots/${bot.id}`));
  const target = { name: 'Smoke test', url: receiver, format: 'full', isCustomerHook: false, botId: bot.id };
  const webhook = await step('make a webhook', () =>
    api.post<{ id: string }>('/webhooks', { ...target, secretKey: secret }),
  );
  undoLater('the webhook', () => api.send('DELETE', `/webhooks/${webhook.id}`));
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const texts = { name: 'Falls', title: 'Smoke test', message: 'Nobody fell: this is a smoke test' };
  const rule = await step('make a rule', () =>
    api.post<Id>('/rules', { ...texts, situation: 'fall_detected', sensorId, recipients }),
  );
  undoLater('the rule', () => api.send('DELETE', `/rules/${rule.id}`));
  return webhook.id;
};

/** Creates as a system admin all that the main case needs. The clean-up of the steps removes all of it. */
export const settle = async (admin: Api, setting: Setting, steps: Steps): Promise<Home> => {
  const { api, customerId } = await moveIn(admin, setting.base, steps);
  const sensor = await linkSensor(admin, api, setting.deviceBase, steps);
  const webhookId = await watchFalls(api, sensor.sensorId, setting, steps);
  return { api, customerId, ...sensor, webhookId };
};
