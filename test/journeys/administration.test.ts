import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { type Store, store } from '#shared/store/store.ts';
import { concurrently, rejectedPaths, statusOf } from '../fixtures/answers.ts';
import { type Client, register } from '../fixtures/client.ts';
import { startTestCloud } from '../fixtures/cloud.ts';
import {
  ALL_PERMISSIONS,
  adminOf,
  createAlarm,
  createHome,
  fallMessage,
  linkSensor,
  nextHardwareId,
} from '../fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
let stores: Store;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  admin = await adminOf(cloud.url);
  stores = store(cloud.runtime.table);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

type Id = { id: number };
type Hit = { ruleId: number; allSend: boolean; ruleMessages: { extra: object; wasSend: boolean }[] };
const texts = { name: 'n', location: '', email: '' };
const holdsNothing = { permissions: [], isAdmin: false };
let falls = 0;
/** Reports a new fall. Returns the customer's hits once everything is processed. */
const fall = async (client: Client, customerId: number, sensor: { sensorId: string; device: Client }) => {
  const message = fallMessage('calling', Date.now() - 1_000 * ++falls);
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
  await cloud.idle();
  const [page] = await client.ok<{ data: Hit[] }[]>('GET', `/customers/${customerId}/rule-hits`);
  return page?.data ?? [];
};

describe('a customer', () => {
  const renamed = { name: 'Renamed', location: 'Elsewhere 2', email: 'office@example.com' };

  test('users with manage_customers can change a customer', async () => {
    const home = await createHome(admin, 'ash', ALL_PERMISSIONS);
    const hook = { name: 'h', url: receiver.url, format: 'full', isCustomerHook: true };
    const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', hook);
    expect(await home.client.ok('PUT', `/customers/${home.customerId}`, renamed)).toMatchObject(renamed);
    expect(await stores.customers.get(home.customerId)).toMatchObject({
      ...renamed,
      hooks: { [id]: 'full' },
      members: 1,
    });
    const before = receiver.received.length;
    await fall(home.client, home.customerId, await linkSensor(home.client));
    const last = (await receiver.until(before + 1)).at(-1);
    expect(JSON.parse(last?.body ?? '')).toMatchObject({ customer: { name: 'Renamed', location: 'Elsewhere 2' } });
  });

  test('the customer list shows creations, changes and deletions', async () => {
    const listed = async (id: number) => {
      const all = await admin.ok<Id[]>('GET', '/customers');
      return all.filter((item) => item.id === id);
    };
    const created = await admin.ok<Id>('POST', '/customers', texts);
    const path = `/customers/${created.id}`;
    expect(await listed(created.id)).toEqual([created]);
    const replaced = await admin.ok('PUT', path, renamed);
    expect(replaced).toMatchObject({ ...created, ...renamed, updateDate: expect.any(Number) });
    expect([await listed(created.id), await admin.ok('GET', path)]).toEqual([[replaced], replaced]);
    await admin.ok('DELETE', path);
    expect([await listed(created.id), await statusOf(admin.call('PUT', path, texts))]).toEqual([[], 404]);
  });

  test('a customer cannot be deleted while it has a user or a sensor', async () => {
    const home = await createHome(admin, 'beech', ALL_PERMISSIONS);
    const path = `/customers/${home.customerId}`;
    expect(await statusOf(admin.call('DELETE', path))).toBe(409);
    await linkSensor(home.client);
    await admin.ok('DELETE', `/users/${home.userId}`);
    expect(await statusOf(admin.call('DELETE', path))).toBe(409);
    expect(await statusOf(admin.call('GET', path))).toBe(200);
  });

  const furnished = async (name: string) => {
    const home = await createHome(admin, name, ALL_PERMISSIONS);
    const { bot, webhook, rule } = await createAlarm(home.client, receiver.url);
    const hook = { name: 'h', url: receiver.url, format: 'raw', isCustomerHook: true };
    const { id } = await home.client.ok<{ id: string }>('POST', '/webhooks', hook);
    await admin.ok('DELETE', `/users/${home.userId}`);
    const things = [`/bots/${bot.id}`, `/webhooks/${webhook.id}`, `/webhooks/${id}`, `/rules/${rule.id}`];
    return { customerId: home.customerId, path: `/customers/${home.customerId}`, things };
  };

  test('deleting a customer deletes all bots, webhooks and rules', async () => {
    const { customerId, path, things } = await furnished('cedar');
    await admin.ok('DELETE', path);
    for (const url of [path, ...things]) expect([url, await statusOf(admin.call('GET', url))]).toEqual([url, 404]);
    expect(await stores.rules.list(customerId)).toEqual([]);
    expect(await statusOf(admin.call('DELETE', path))).toBe(404);
    expect(await statusOf(admin.call('PUT', path, texts))).toBe(404);
    expect(rejectedPaths(await admin.call('POST', '/bots', { name: 'b', customerId }))).toEqual([400, 'customerId']);
  });

  test('deleting a customer again finishes an interrupted deletion', async () => {
    const { customerId, path, things } = await furnished('elder');
    expect(await stores.customers.remove(customerId)).toBeNull();
    await admin.ok('DELETE', path);
    for (const url of things) expect([url, await statusOf(admin.call('GET', url))]).toEqual([url, 404]);
    expect(await statusOf(admin.call('DELETE', path))).toBe(404);
  });

  test('either a customer deletion or a concurrent user creation succeeds, never both', async () => {
    const outcomes = await concurrently(50, async (at) => {
      const { id: customerId } = await admin.ok<Id>('POST', '/customers', texts);
      const user = { ...holdsNothing, id: 1_000_000 + at, customerId, username: `pair-${at}` } as never;
      const create = () => stores.users.create(user, `pair-${at}`, 'hash', 50);
      const remove = () => stores.customers.remove(customerId);
      const [created, removed] =
        at % 2 === 0 ? await Promise.all([create(), remove()]) : (await Promise.all([remove(), create()])).toReversed();
      return [created === null, removed === null];
    });
    expect(outcomes.filter(([created, removed]) => created === removed)).toEqual([]);
  });

  test('the user count stays exact during concurrent creations and deletions', async () => {
    const { id: customerId } = await admin.ok<Id>('POST', '/customers', texts);
    await concurrently(50, async (at) => {
      const accountKey = `guest-${at}`;
      const user = { ...holdsNothing, id: 2_000_000 + at, customerId, username: accountKey, accountKey } as never;
      expect(await stores.users.create(user, accountKey, 'hash', 50)).toBeNull();
      // Only one of two concurrent deletions succeeds.
      const removals =
        at % 2 === 0 ? [] : await Promise.all([stores.users.remove(user, 0), stores.users.remove(user, 0)]);
      expect(removals.filter(Boolean)).toHaveLength(at % 2);
    });
    expect((await stores.customers.get(customerId))?.members).toBe(25);
  });
});

describe('a bot', () => {
  test("a bot's new name and language appear in rule hits and webhook messages", async () => {
    const { client, customerId } = await createHome(admin, 'fir', ALL_PERMISSIONS);
    const { bot } = await createAlarm(client, receiver.url);
    const changed = { name: 'Nachtdienst', locale: 'de' };
    expect(await client.ok('PUT', `/bots/${bot.id}`, changed)).toMatchObject({ ...changed, id: bot.id, customerId });
    const before = receiver.received.length;
    const [hit] = await fall(client, customerId, await linkSensor(client));
    expect(hit?.ruleMessages[0]?.extra).toEqual({ display_name: 'Nachtdienst', is_bot: true });
    const [got] = (await receiver.until(before + 1)).slice(before);
    expect(JSON.parse(got?.body ?? '').rule.situationDescription).toMatch(/Sturz/);
  });

  test('deleting a bot deletes its webhooks but keeps the rules', async () => {
    const { client, customerId } = await createHome(admin, 'gorse', ALL_PERMISSIONS);
    const { bot, webhook, rule } = await createAlarm(client, receiver.url);
    const other = await createAlarm(client, receiver.url, 'empty_room');
    await client.ok('DELETE', `/bots/${bot.id}`);
    expect(await statusOf(client.call('GET', `/bots/${bot.id}`))).toBe(404);
    expect(await statusOf(client.call('DELETE', `/bots/${bot.id}`))).toBe(404);
    expect(await statusOf(client.call('GET', `/webhooks/${webhook.id}`))).toBe(404);
    expect(await statusOf(client.call('GET', `/webhooks/${other.webhook.id}`))).toBe(200);
    const before = receiver.received.length;
    const hits = await fall(client, customerId, await linkSensor(client));
    expect(hits).toMatchObject([{ ruleId: rule.id, allSend: false, ruleMessages: [{ wasSend: false }] }]);
    expect(receiver.received).toHaveLength(before);
    const same = await client.ok('GET', `/rules/${rule.id}`);
    expect(rejectedPaths(await client.call('PUT', `/rules/${rule.id}`, same))).toEqual([400, 'recipients.0.webhookId']);
  });

  test('deleting a bot again finishes an interrupted deletion', async () => {
    const { client, customerId } = await createHome(admin, 'gum', ALL_PERMISSIONS);
    const { bot, webhook } = await createAlarm(client, receiver.url);
    expect(await stores.bots.remove(customerId, bot.id)).toBe(true);
    await admin.ok('DELETE', `/bots/${bot.id}`);
    expect(await statusOf(client.call('GET', `/webhooks/${webhook.id}`))).toBe(404);
    expect(await statusOf(admin.call('DELETE', `/bots/${bot.id}`))).toBe(404);
  });

  test('no webhook survives when 50 are created during the bot deletion', async () => {
    const { client } = await createHome(admin, 'hazel', ALL_PERMISSIONS);
    const { id: botId } = await client.ok<Id>('POST', '/bots', { name: 'b' });
    const hook = { name: 'h', url: receiver.url, format: 'full', isCustomerHook: false, botId };
    const statuses = await concurrently(51, (at) =>
      statusOf(at === 25 ? client.call('DELETE', `/bots/${botId}`) : client.call('POST', '/webhooks', hook)),
    );
    expect(statuses.filter((status, at) => status !== (at === 25 ? 200 : 201) && status !== 400)).toEqual([]);
    expect(await client.ok('GET', '/webhooks')).toMatchObject([{ total: 0 }]);
  });
});

describe('a provisioning key', () => {
  test('a deleted provisioning key cannot register devices', async () => {
    const body = { name: 'line 1', manufacturer: 'maker_a' };
    const { key, ...rest } = await admin.ok<{ key: string; id: string }>('POST', '/provisioning-keys', body);
    const list = () => admin.ok<{ id: string; name: string }[]>('GET', '/provisioning-keys');
    expect((await list()).map(({ name }) => name)).toEqual(['first', 'line 1']);
    expect((await list())[1]).toEqual(rest);
    const { sensorId } = await register(admin, key, nextHardwareId());
    await admin.ok('DELETE', `/provisioning-keys/${rest.id}`);
    await expect(register(admin, key, nextHardwareId())).rejects.toThrow('401');
    expect(await statusOf(admin.call('GET', `/sensors/${sensorId}`))).toBe(200);
    expect((await list()).map(({ name }) => name)).toEqual(['first']);
    expect(await statusOf(admin.call('DELETE', `/provisioning-keys/${rest.id}`))).toBe(404);
  });
});
