import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, hireFor, linkSensor } from '#test/fixtures/home.ts';

let cloud: Cloud;
let admin: Client;
let receiver: Receiver;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud(), startReceiver()]);
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'maple', ALL_PERMISSIONS);
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

const linesOf = async (query: string, customerId = home.customerId) => {
  const [page] = await admin.ok<{ data: AuditEntry[] }[]>('GET', `/customers/${customerId}/audit?${query}`);
  return page?.data ?? [];
};
/** Replaces an object, except for `change`. Returns the newest audit entry of that. */
const replace = async (path: string, operation: string, change: object) => {
  const before = await home.client.ok('GET', path);
  await home.client.ok('PUT', path, { ...before, ...change });
  const [line] = await linesOf(`operation=${operation}`);
  return line;
};

describe('the details of an audit entry', () => {
  test('show how a rule was changed, including what it no longer has', async () => {
    const { rule, bot, webhook } = await createAlarm(home.client, receiver.url);
    const path = `/rules/${rule.id}`;
    const recipients = [{ botId: bot.id, webhookId: webhook.id }];
    const escalation = [{ afterSeconds: 60, recipients }];
    const added = await replace(path, 'updateRule', { escalation, untilAcknowledged: false });
    expect(added?.details).toEqual([
      { field: 'escalation', from: [], to: [expect.objectContaining({ afterSeconds: 60 })] },
      { field: 'untilAcknowledged', from: true, to: false },
    ]);
    const change = { isEnabled: false, escalation: [], title: 'Not any more', untilAcknowledged: true };
    const removed = await replace(path, 'updateRule', change);
    expect(removed?.changes).toEqual(expect.arrayContaining(['title', 'recipients']));
    expect(removed?.details).toEqual(
      expect.arrayContaining([
        { field: 'isEnabled', from: true, to: false },
        { field: 'escalation', from: [expect.objectContaining({ afterSeconds: 60 })], to: [] },
        { field: 'untilAcknowledged', from: false, to: true },
      ]),
    );
    expect(removed?.details).toHaveLength(3);
  });

  test('show which permissions a user lost', async () => {
    const user = await hireFor(admin, home.customerId, 'robin', { permissions: ['manage_rules', 'manage_bots'] });
    await home.client.ok('PUT', `/users/${user.id}/access`, { canLogin: true, permissions: ['manage_bots'] });
    const [line] = await linesOf('operation=setUserAccess');
    expect(line).toMatchObject({
      object: { kind: 'user', id: String(user.id), name: 'robin' },
      details: [{ field: 'permissions', from: ['manage_rules', 'manage_bots'], to: ['manage_bots'] }],
    });
  });

  test('show the values of a configuration', async () => {
    const { sensorId } = await linkSensor(home.client);
    const path = `/sensors/${sensorId}/maker_a/config/basic`;
    const basic = { name: 'Room 1', volume: 50, ledMode: 1, learningModeEnabled: true, testModeEnabled: false };
    const all = { ...basic, fallingMitigatorEnabled: false, optimizationEnabled: true };
    await home.client.ok('PUT', path, all);
    await home.client.ok('PUT', path, { ...all, name: 'Room 2', volume: 0 });
    const [line] = await linesOf('operation=putMakerABasicConfig');
    expect(line?.details).toEqual([{ field: 'volume', from: 50, to: 0 }]);
  });

  test('contain no names, addresses and secrets, and nothing that stayed the same', async () => {
    const customer = await replace(`/customers/${home.customerId}`, 'updateCustomer', {
      name: 'Secret garden',
      location: 'Elm street',
      email: 'a@example.com',
      requireOtp: false,
    });
    const { webhook } = await createAlarm(home.client, receiver.url);
    const hook = await replace(`/webhooks/${webhook.id}`, 'updateWebhook', {
      name: 'Anna Meier',
      url: `${receiver.url}?token=hidden`,
      secretKey: 'another-secret-of-16',
    });
    expect(customer?.changes).toEqual(expect.arrayContaining(['name', 'location', 'email']));
    expect(hook?.changes).toEqual(expect.arrayContaining(['name', 'url']));
    for (const line of [customer, hook]) {
      expect(line?.details).toEqual([]);
      expect(JSON.stringify(line?.details)).not.toMatch(/garden|street|example|Meier|hidden|secret/);
    }
  });
});

describe('the names of objects in the audit log', () => {
  test('follow changes, and end with the object', async () => {
    const { id } = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'Bell', locale: 'de' });
    const named = async () => (await linesOf(`objectKind=bot&objectId=${id}`)).at(-1)?.object;
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: 'Bell' });
    await home.client.ok('PUT', `/bots/${id}`, { name: 'Gong', locale: 'de' });
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: 'Gong' });
    await home.client.ok('DELETE', `/bots/${id}`);
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: null });
  });

  test('include those of rules, webhooks, sensors, groups, users and the customer', async () => {
    const { client, customerId } = await createHome(admin, 'birch', ALL_PERMISSIONS);
    const { webhook } = await createAlarm(client, receiver.url);
    const { sensorId } = await linkSensor(client);
    await client.ok('POST', '/sensor-groups', { name: 'Ward', sensorIds: [sensorId] });
    await client.ok('PUT', `/customers/${customerId}`, { name: 'birch', location: '', email: '' });
    const names = new Map((await linesOf('perPage=100', customerId)).map(({ object }) => [object.kind, object.name]));
    const { name: sensor } = await client.ok<{ name: string }>('GET', `/sensors/${sensorId}`);
    expect(Object.fromEntries(names)).toMatchObject({
      webhook: webhook.name,
      rule: expect.any(String),
      sensor,
      sensor_group: 'Ward',
      user: 'birch-nurse',
      customer: 'birch',
    });
  });

  test('reveal nothing about other customers and their objects, which a refused call may have named', async () => {
    const theirs = await createHome(admin, 'their secret', ALL_PERMISSIONS);
    const { sensorId } = await linkSensor(theirs.client);
    const curious = await hireFor(admin, home.customerId, 'curious', { permissions: ['manage_users'] });
    const calls = [
      ['PUT', `/customers/${theirs.customerId}`],
      ['DELETE', `/sensors/${sensorId}`],
      ['DELETE', '/rules/abc'],
      ['DELETE', '/bots/-1'],
      ['DELETE', `/rules/${'9'.repeat(30)}`],
    ] as const;
    for (const [method, path] of calls) expect((await curious.client.call(method, path)).status, path).toBe(403);
    const lines = await curious.client.ok<{ data: AuditEntry[] }[]>(
      'GET',
      `/customers/${home.customerId}/audit?actorId=${curious.id}&refused=true`,
    );
    expect(lines[0]?.data.map(({ object }) => object.name)).toEqual([null, null, null, null, null]);
    expect(JSON.stringify(lines)).not.toContain('their secret');
  });
});
