import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, createAlarm, createHome, linkSensor } from '../fixtures/home.ts';
import type { ChaosReceiver } from './receiver.ts';
import type { Scene } from './scene.ts';

const FIRST_SECRET = 'a-secret-of-16-or-more';

export type Hook = { id: string; path: string; url: string };
type Sensor = Awaited<ReturnType<typeof linkSensor>>;
/**
 * A customer with a sensor, and the webhooks that must be told of its falls. `client` has all permissions, and a
 * token that does not expire.
 */
export type Home = { customerId: number; client: Client; sensor: Sensor; hooks: Hook[] };

/** Replaces a webhook with its present fields and some changes. */
export const replaceHook = async (client: Client, { id }: Hook, change: object): Promise<void> => {
  const { name, url, format, isCustomerHook, botId, authMethod, retrySchedule, isEnabled } = await client.ok(
    ...(['GET', `/webhooks/${id}`] as const),
  );
  const before = { name, url, format, isCustomerHook, botId, authMethod, retrySchedule, isEnabled };
  await client.ok('PUT', `/webhooks/${id}`, { ...before, ...change });
};

/** Adds a webhook for all events to a customer. It has a path of its own. */
export const addHook = async (
  client: Client,
  { urls }: Pick<ChaosReceiver, 'urls'>,
  customerId: number,
  name: string,
): Promise<Hook> => {
  const path = `/${customerId}/${name}`;
  const url = urls.http + path;
  const allEvents = { name: 'all', url, format: 'full', isCustomerHook: true };
  const body = { ...allEvents, ...(name.startsWith('admin') && { customerId }) };
  const { id } = await client.ok<{ id: string }>('POST', '/webhooks', body);
  return { id, path, url };
};

/** Creates a home. With `alarm` a rule tells a bot of each fall, too, by a signed request. */
export const furnish = async (admin: Client, name: string, receiver: ChaosReceiver, alarm: boolean): Promise<Home> => {
  const { customerId, client: nurse } = await createHome(admin, name, ALL_PERMISSIONS);
  // A session would end after a day, so the client gets an access token.
  const { token } = await nurse.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'faults' });
  const client = nurse.as(token);
  const sensor = await linkSensor(nurse);
  const hooks = [await addHook(client, receiver, customerId, 'all')];
  const [first] = hooks;
  if (first && !alarm) {
    await replaceHook(client, first, { secretKey: FIRST_SECRET });
    receiver.secrets.set(first.path, FIRST_SECRET);
  }
  if (alarm) {
    const path = `/${customerId}/alarm`;
    const { webhook } = await createAlarm(client, receiver.urls.http + path);
    receiver.secrets.set(path, FIRST_SECRET);
    hooks.push({ id: webhook.id, path, url: receiver.urls.http + path });
  }
  return { customerId, client, sensor, hooks };
};

/** Adds a bot to the home birch, with a webhook and a rule that tells it of falls. */
export const addAlarm = async ({ homes: { birch }, receiver, fresh }: Scene) => {
  const path = `/${birch.customerId}/${fresh('alarm')}`;
  const url = receiver.urls.http + path;
  const { bot, webhook, rule } = await createAlarm(birch.client, url);
  receiver.secrets.set(path, FIRST_SECRET);
  return {
    hook: { id: webhook.id, path, url },
    token: webhook.token,
    rule: `/rules/${rule.id}`,
    bot: `/bots/${bot.id}`,
  };
};
