import { drawAccountKey, drawToken, hashOf } from '../../../shared/auth/tokens.ts';
import type { Runtime } from '../../../shared/deps.ts';
import { randomUuid } from '../../../shared/domain/ids.ts';
import { Permission } from '../../../shared/domain/permission.ts';
import { deviceIdOf } from '../../../shared/domain/sensor.ts';
import { usernameKey } from '../../../shared/domain/username.ts';
import { store } from '../../../shared/store/store.ts';
import { type Api, apiClient } from './client.ts';

const NURSE_CALL = 'Demo nurse call';
const USERNAME = 'demo';
/** Hardware ids of the sensors of the demo. */
const HARDWARE = ['02DE00000001', '02DE00000002', '02DE00000003'] as const;

export type DemoSensor = { sensorId: string; deviceToken: string };
export type Demo = {
  username: string;
  password: string | null;
  token: string;
  customerId: number;
  sensors: DemoSensor[];
};

type Person = { id: number; customerId: number; password: string | null };

const createPerson = async ({ table, now, random, passwords, settings }: Runtime): Promise<Person> => {
  const stores = store(table);
  const time = now();
  const customerId = await stores.limits.nextNumber('customers');
  const stamp = { createDate: time, updateDate: time };
  await stores.customers.create({
    id: customerId,
    ...stamp,
    name: 'Demo care home',
    location: 'Ground floor',
    email: '',
  });
  const id = await stores.limits.nextNumber('accounts');
  const password = Buffer.from(random(12)).toString('base64url');
  const profile = {
    firstName: 'Demo',
    lastName: 'User',
    email: '',
    telegramId: null,
    mobileNumber: null,
    locale: 'en',
  };
  const access = { canLogin: true, isAdmin: false, permissions: [...Permission.options] };
  const user = {
    id,
    ...stamp,
    customerId,
    username: USERNAME,
    profileImageId: randomUuid(random),
    ...profile,
    ...access,
  };
  await stores.users.create(
    user,
    drawAccountKey(random),
    await (await passwords()).hash(password),
    settings.QUOTAS.users,
  );
  return { id, customerId, password };
};

/** Finds the demo's user, or creates it at the first start. The password is shown only then. */
const findPerson = async (runtime: Runtime): Promise<{ person: Person; accountKey: string }> => {
  const { sessions } = store(runtime.table);
  const known = await sessions.accountKeyOf(usernameKey(USERNAME));
  const person = known ? null : await createPerson(runtime);
  const accountKey = known ?? (await sessions.accountKeyOf(usernameKey(USERNAME)));
  const account = accountKey ? await sessions.account(accountKey) : null;
  if (!accountKey || !account?.customerId) throw new Error('the demo user has no customer');
  return { person: person ?? { id: account.accountId, customerId: account.customerId, password: null }, accountKey };
};

const logIn = async ({ table, now, random }: Runtime, accountKey: string): Promise<string> => {
  const { sessions } = store(table);
  const account = await sessions.account(accountKey);
  const token = drawToken('session', random, accountKey);
  const { accountId = 0, epoch = 0 } = account ?? {};
  const expires = now() + 86_400_000;
  await sessions.start(hashOf(token), { kind: 'session', accountId, epoch, csrf: drawAccountKey(random), expires });
  return token;
};

/** Registers the demo's devices with a temporary provisioning key. A device that is known already gets a new token. */
const registerDevices = async ({ table, now, random }: Runtime, base: string, api: Api): Promise<DemoSensor[]> => {
  const key = drawToken('provisioning', random);
  const { provisioning } = store(table);
  const id = randomUuid(random);
  await provisioning.put(hashOf(key), {
    id,
    name: 'demo',
    manufacturer: 'maker_a',
    createDate: now(),
  });
  const [page] = await api.get<{ data: { id: string }[] }[]>('/sensors?perPage=200');
  const known = new Set(page?.data.map(({ id }) => id));
  const sensors: DemoSensor[] = [];
  for (const hardwareId of HARDWARE) {
    const sensorId = deviceIdOf(hardwareId);
    if (known.has(sensorId)) await api.post(`/sensors/${sensorId}/registration`, {});
    const body = { manufacturer: 'maker_a', hardwareId, firmwareVersion: 42 };
    const device = await apiClient(base, key).post<DemoSensor & { pairingCode: string }>('/devices/register', body);
    await api.post('/sensors/link', { manufacturer: 'maker_a', code: device.pairingCode });
    sensors.push(device);
  }
  await provisioning.remove(id);
  return sensors;
};

const createAlarms = async (api: Api, url: string): Promise<void> => {
  const bot = await api.post<{ id: number }>('/bots', { name: NURSE_CALL });
  const target = { name: NURSE_CALL, url, format: 'full', isCustomerHook: false, botId: bot.id };
  const webhook = await api.post<{ id: string }>('/webhooks', target);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  for (const situation of ['fall_detected', 'occupied_room', 'empty_room'])
    await api.post('/rules', {
      name: situation,
      title: '{sensor}: {situation}',
      message: '{location}, {time}',
      situation,
      recipients,
    });
};

/** Updates the URL of the webhook, because the receiver may have another address at a later start. */
const follow = async (api: Api, url: string): Promise<void> => {
  const [page] = await api.get<{ data: { id: string; name: string; url: string }[] }[]>('/webhooks?perPage=200');
  const moved = page?.data.find((webhook) => webhook.name === NURSE_CALL && webhook.url !== url);
  if (moved) await api.send('PUT', `/webhooks/${moved.id}`, { ...moved, url });
};

/** Creates the demo's care home, once per data folder. `receiver` is the URL that gets its alarms. */
export const seedDemo = async (runtime: Runtime, base: string, receiver: string): Promise<Demo> => {
  const { person, accountKey } = await findPerson(runtime);
  const token = await logIn(runtime, accountKey);
  const api = apiClient(base, token);
  const sensors = await registerDevices(runtime, base, api);
  const [page] = await api.get<{ total: number }[]>('/rules');
  await (page?.total === 0 ? createAlarms(api, receiver) : follow(api, receiver));
  return { username: USERNAME, password: person.password, token, customerId: person.customerId, sensors };
};
