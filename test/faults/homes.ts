import { ok } from '#lib/client/problem.ts';
import type { WebhookUpdate } from '#openapi';
import type { Client } from '../fixtures/client.ts';
import { ALL_PERMISSIONS, createAlarm, createHome, homeAt, linkSensor } from '../fixtures/home.ts';
import type { ChaosReceiver } from './receiver.ts';
import type { Scene } from './scene.ts';

const FIRST_SECRET = 'a-secret-of-16-or-more';

export type Hook = { id: string; path: string; url: string };
type Sensor = Awaited<ReturnType<typeof linkSensor>>;
/**
 * A customer with a sensor, and the webhooks that must receive the sensor's falls. `client` has all permissions, and a
 * token that does not expire.
 */
export type Home = { customerId: number; client: Client; sensor: Sensor; hooks: Hook[] };

/** Changes some webhook fields. */
export const replaceHook = async (client: Client, { id }: Hook, change: Partial<WebhookUpdate>): Promise<void> => {
  const params = { path: { webhookId: id } };
  const before = await ok(client.api.GET('/webhooks/{webhookId}', { params }));
  await ok(client.api.PUT('/webhooks/{webhookId}', { params, body: { ...before, ...change } }));
};

/** Adds a customer webhook for all events, with a separate path. */
export const addHook = async (
  client: Client,
  { urls }: Pick<ChaosReceiver, 'urls'>,
  customerId: number,
  name: string,
): Promise<Hook> => {
  const path = `/${customerId}/${name}`;
  const url = urls.http + path;
  const owner = name.startsWith('admin') && { customerId };
  const { id } = await homeAt(client).addWebhook({ name: 'all', url, isCustomerHook: true, ...owner });
  return { id, path, url };
};

/**
 * Creates a bot with a webhook that sends signed requests to a receiver path, and a rule that sends falls to the bot.
 */
const alarmAt = async (client: Client, { urls, secrets }: ChaosReceiver, path: string) => {
  const url = urls.http + path;
  const { bot, webhook, rule } = await createAlarm(client, url);
  secrets.set(path, FIRST_SECRET);
  return {
    hook: { id: webhook.id, path, url },
    token: webhook.token,
    rule: `/rules/${rule.id}`,
    bot: `/bots/${bot.id}`,
  };
};

/** Creates a home. With `alarm`, a rule also sends each fall to a bot, in a signed request. */
export const createFaultHome = async (
  admin: Client,
  name: string,
  receiver: ChaosReceiver,
  alarm: boolean,
): Promise<Home> => {
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
  if (alarm) hooks.push((await alarmAt(client, receiver, `/${customerId}/alarm`)).hook);
  return { customerId, client, sensor, hooks };
};

/** Adds a bot to the birch home, with a webhook and a rule that sends falls to it. */
export const addAlarm = ({ homes: { birch }, receiver, fresh }: Scene) =>
  alarmAt(birch.client, receiver, `/${birch.customerId}/${fresh('alarm')}`);
