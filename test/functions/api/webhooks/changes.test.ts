import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { WebhookUpdate } from '#shared/domain/delivery/webhook.ts';
import { type Store, store } from '#shared/store/store.ts';
import { concurrently, rejectedPaths, statusOf } from '#test/fixtures/answers.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import {
  ALL_PERMISSIONS,
  adminOf,
  createAlarm,
  createHome,
  fallMessage,
  hireFor,
  linkSensor,
} from '#test/fixtures/home.ts';

let cloud: Cloud;
let receiver: Receiver;
let admin: Client;
let stores: Store;
/** The receiver's response status. */
const status = 200;
beforeAll(async () => {
  const answer = startReceiver((_, response) => void response.writeHead(status).end());
  [cloud, receiver] = await Promise.all([startTestCloud(), answer]);
  admin = await adminOf(cloud.url);
  stores = store(cloud.runtime.table);
});
afterAll(async () => {
  await Promise.all([cloud.stop(), receiver.stop()]);
});

type Hook = { id: string; isEnabled: boolean; format: string; isCustomerHook: boolean; botId: number | null };

let falls = 0;
/** Creates a home with an alarm. `fall` reports a fall, and returns the resulting `awaited` requests. */
const createScene = async (name: string) => {
  const home = await createHome(admin, name, ALL_PERMISSIONS);
  const { client } = home;
  const sensor = await linkSensor(client);
  const alarm = await createAlarm(client, receiver.url);
  const path = `/webhooks/${alarm.webhook.id}`;
  const hook = await client.ok<Hook>('GET', path);
  const fall = async (awaited: number) => {
    const before = receiver.received.length;
    const message = fallMessage('calling', Date.now() - 1_000 * ++falls);
    await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, message);
    const got = (await receiver.until(before + awaited)).slice(before);
    await cloud.idle();
    expect(receiver.received).toHaveLength(before + awaited);
    return got;
  };
  return { ...home, ...alarm, path, hook, fall };
};

describe('a webhook', () => {
  test('a webhook keeps the secret if a PUT omits it', async () => {
    const { client, path, hook, fall } = await createScene('alder');
    const signature = async (more: object) => {
      const answer = await client.ok('PUT', path, { ...hook, ...more });
      const [got] = await fall(1);
      expect(answer.hasSecretKey).toBe(got?.headers['x-service-cloud-signature'] !== undefined);
      expect(JSON.stringify(answer)).not.toContain('another-secret');
      return answer.hasSecretKey;
    };
    const updates = [{}, { secretKey: null }, {}, { secretKey: 'another-secret-of-16' }, {}];
    const signed = [];
    for (const more of updates) signed.push(await signature(more));
    expect(signed).toEqual([true, false, false, true, true]);
  });

  test('a new token is returned only once and sent with the next delivery', async () => {
    const { client, path, hook, webhook, fall } = await createScene('aspen');
    const { token, ...nothing } = await client.ok<{ token: string }>('POST', `${path}/token`);
    expect([token, nothing]).toEqual([expect.stringMatching(/^[a-z1-9]{26}$/), {}]);
    expect(token).not.toBe(webhook.token);
    expect(await client.ok('GET', path)).toEqual({ ...hook, updateDate: expect.any(Number) });
    const [got] = await fall(1);
    expect(got?.headers.authorization).toBe(`Bearer ${token}`);
  });

  test('a customer webhook gets every event, but a bot webhook gets only rule hits', async () => {
    const { client, customerId, path, hook, fall } = await createScene('birch');
    const listed = async () => (await stores.customers.get(customerId))?.hooks;
    const put = (more: object) => client.ok('PUT', path, { ...hook, ...more });
    const bodyOf = async () => JSON.parse((await fall(1))[0]?.body ?? '');
    expect([await listed(), (await bodyOf()).rule?.situation]).toEqual([{}, 'fall_detected']);
    await put({ isCustomerHook: true, botId: null });
    expect([await listed(), (await bodyOf()).rule]).toEqual([{ [hook.id]: 'full' }, null]);
    await put({ isCustomerHook: true, botId: null, format: 'raw' });
    expect([await listed(), (await bodyOf()).type]).toEqual([{ [hook.id]: 'raw' }, 5]);
    await put({});
    expect([await listed(), (await bodyOf()).rule?.situation]).toEqual([{}, 'fall_detected']);
    await put({ isCustomerHook: true, botId: null, isEnabled: false });
    // A disabled webhook stays in the list, so its deliveries are held.
    expect(await listed()).toEqual({ [hook.id]: 'full' });
    await client.ok('DELETE', path);
    expect([await listed(), await statusOf(client.call('GET', path))]).toEqual([{}, 404]);
    await fall(0);
  });

  test('a moved webhook receives nothing from rules for the previous bot', async () => {
    const { client, path, hook, fall } = await createScene('box');
    const { id: botId } = await client.ok<{ id: number }>('POST', '/bots', { name: 'other' });
    await client.ok('PUT', path, { ...hook, botId });
    await fall(0);
    await client.ok('PUT', path, hook);
    await fall(1);
  });

  test('enabling a webhook that the service disabled resets its health', async () => {
    const { client, customerId, path, hook, fall } = await createScene('cherry');
    const before = await stores.webhooks.get(customerId, hook.id);
    if (!before) throw new Error('no webhook');
    await stores.health.failed(
      before,
      Date.now(),
      { openUntil: null, isGone: true, isLost: false, since: 7, begun: null },
      [],
    );
    await stores.health.disable(before, 7, 'gone', null);
    expect(await client.ok('GET', path)).toMatchObject({
      isEnabled: false,
      disabledReason: 'gone',
      health: { consecutiveFailures: 1, failingSince: expect.any(Number) },
    });
    const enabled = await client.ok('PUT', path, { ...hook, isEnabled: true });
    expect(enabled).toMatchObject({
      isEnabled: true,
      disabledReason: null,
      health: { consecutiveFailures: 0, failingSince: null },
    });
    await fall(1);
  });

  test('an enabled webhook receives deliveries at once, even if the circuit was open', async () => {
    const { client, customerId, path, hook, fall } = await createScene('linden');
    const before = await stores.webhooks.get(customerId, hook.id);
    if (!before) throw new Error('no webhook');
    await stores.health.failed(
      before,
      Date.now(),
      { openUntil: Date.now() + 300_000, isGone: false, isLost: false, since: 7, begun: null },
      [],
    );
    await stores.health.disable(before, 7, 'failing', null);
    await client.ok('PUT', path, { ...hook, isEnabled: true });
    await fall(1);
  });

  test('a webhook stays disabled if the service disables it during an update', async () => {
    const { customerId, hook } = await createScene('elm');
    const before = await stores.webhooks.get(customerId, hook.id);
    if (!before) throw new Error('no webhook');
    await stores.health.failed(before, 7, { openUntil: null, isGone: false, isLost: false, since: 7, begun: null }, []);
    await stores.health.disable(before, 7, 'gone', null);
    const update = WebhookUpdate.parse({ ...hook, name: 'new' });
    expect(await stores.webhooks.replace(before, update, 8)).toBeNull();
    expect(await stores.webhooks.get(customerId, hook.id)).toMatchObject({
      name: 'new',
      isEnabled: false,
      disabledReason: 'gone',
      consecutiveFailures: 1,
      failingSince: 7,
      secretKey: before.secretKey,
      token: before.token,
    });
  });

  test('rejects a change authorized before the webhook became a customer webhook', async () => {
    const { client, customerId, path, hook } = await createScene('hornbeam');
    const before = await stores.webhooks.get(customerId, hook.id);
    if (!before) throw new Error('no webhook');
    await client.ok('PUT', path, { ...hook, isCustomerHook: true, botId: null });
    expect(await stores.webhooks.replace(before, WebhookUpdate.parse(hook), 8)).toBe('changed');
    expect(await stores.webhooks.setToken(before, 'token', 8)).toBe(false);
    expect(await stores.webhooks.remove(before, 0)).toBe(false);
    expect((await stores.customers.get(customerId))?.hooks).toEqual({ [hook.id]: 'full' });
    expect(await client.ok('GET', path)).toMatchObject({ isCustomerHook: true });
  });

  test("changing a webhook's kind requires permission to manage both kinds", async () => {
    const { client, customerId, path, hook } = await createScene('hawthorn');
    const asHook = { ...hook, isCustomerHook: true, botId: null };
    const onlyBots = (await hireFor(admin, customerId, 'bots-only', { permissions: ['manage_bots'] })).client;
    const onlyHooks = (await hireFor(admin, customerId, 'hooks-only', { permissions: ['manage_customers'] })).client;
    const tries = async (caller: Client) => [
      await statusOf(caller.call('PUT', path, hook)),
      await statusOf(caller.call('PUT', path, asHook)),
      await statusOf(caller.call('POST', `${path}/token`)),
    ];
    expect([await tries(onlyBots), await tries(onlyHooks)]).toEqual([
      [200, 403, 200],
      [403, 403, 403],
    ]);
    expect(await statusOf(onlyHooks.call('DELETE', path))).toBe(403);
    await client.ok('PUT', path, asHook);
    expect([await tries(onlyBots), await tries(onlyHooks)]).toEqual([
      [403, 403, 403],
      [403, 200, 200],
    ]);
    expect(await statusOf(onlyBots.call('DELETE', path))).toBe(403);
    expect(await statusOf(onlyHooks.call('DELETE', path))).toBe(200);
  });

  test('returns 400 for a webhook update with invalid fields or an unusable format', async () => {
    const { client, path, hook, bot } = await createScene('holly');
    const put = async (more: object) => rejectedPaths(await client.call('PUT', path, { ...hook, ...more }));
    expect(await put({ url: 'ftp://127.0.0.1/' })).toEqual([400, 'url']);
    expect(await put({ isCustomerHook: true })).toEqual([400, 'botId']);
    expect(await put({ botId: null })).toEqual([400, 'botId']);
    for (const format of ['custom1', 'chat', 'teams'])
      expect(await put({ isCustomerHook: true, botId: null, format })).toEqual([400, 'format']);
    expect(await put({ secretKey: 'short' })).toEqual([400, 'secretKey']);
    expect(await put({ format: 'custom1' })).toEqual([200]);
    expect(await put({ format: 'full' })).toEqual([200]);
    const recipients = [{ botId: bot.id, webhookId: hook.id }];
    const rule = { name: 'n', title: 't', message: 'm', situation: 'apnea', recipients };
    const { id } = await client.ok('POST', '/rules', rule);
    expect(await put({ format: 'custom1' })).toEqual([400, 'format']);
    for (const format of ['chat', 'teams']) expect(await put({ format, secretKey: null })).toEqual([200]);
    await client.ok('PUT', `/rules/${id}`, { ...rule, situation: 'fall_loop' });
    expect(await put({ format: 'custom1' })).toEqual([200]);
    expect(rejectedPaths(await client.call('PUT', `/rules/${id}`, rule))).toEqual([400, 'recipients.0.webhookId']);
    // Raw needs a device message, but the service itself detects these situations.
    for (const situation of ['sensor_inactive', 'sensor_active', 'sensor_clock_wrong']) {
      expect(await put({ format: 'raw' })).toEqual([200]);
      const noticed = { ...rule, situation };
      expect(rejectedPaths(await client.call('POST', '/rules', noticed))).toEqual([400, 'recipients.0.webhookId']);
      expect(await put({ format: 'full' })).toEqual([200]);
      await client.ok('PUT', `/rules/${id}`, noticed);
      expect(await put({ format: 'raw' })).toEqual([400, 'format']);
      await client.ok('PUT', `/rules/${id}`, rule);
    }
  });

  test('concurrent changes keep the list of customer webhooks consistent', async () => {
    const { client, customerId, path, hook } = await createScene('laurel');
    const forms = [{ isCustomerHook: true, botId: null, format: 'raw' }, { isCustomerHook: true, botId: null }, {}];
    const statuses = await concurrently(50, (at) => statusOf(client.call('PUT', path, { ...hook, ...forms[at % 3] })));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const left = await client.ok<Hook>('GET', path);
    const expected = left.isCustomerHook ? { [hook.id]: left.format } : {};
    expect((await stores.customers.get(customerId))?.hooks).toEqual(expected);
  });
});
