import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import { store } from '#shared/store/store.ts';
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
/** Updates an object, changing only the fields in `change`. Returns the newest audit entry for the operation. */
const replace = async (path: string, operation: string, change: object, client = home.client) => {
  const before = await client.ok('GET', path);
  await client.ok('PUT', path, { ...before, ...change });
  const [line] = await linesOf(`operation=${operation}`);
  return line;
};

describe('audit entry details', () => {
  test('an audit entry shows how a rule was changed, including removals', async () => {
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

  test('an audit entry shows which permissions a user lost', async () => {
    const user = await hireFor(admin, home.customerId, 'robin', { permissions: ['manage_rules', 'manage_bots'] });
    await home.client.ok('PUT', `/users/${user.id}/access`, { canLogin: true, permissions: ['manage_bots'] });
    const [line] = await linesOf('operation=setUserAccess');
    expect(line).toMatchObject({
      object: { kind: 'user', id: String(user.id), name: 'robin' },
      details: [{ field: 'permissions', from: ['manage_rules', 'manage_bots'], to: ['manage_bots'] }],
    });
  });

  test('an audit entry shows configuration values', async () => {
    const { sensorId } = await linkSensor(home.client);
    const path = `/sensors/${sensorId}/maker_a/config/basic`;
    const basic = { name: 'Room 1', volume: 50, ledMode: 1, learningModeEnabled: true, testModeEnabled: false };
    const all = { ...basic, fallingMitigatorEnabled: false, optimizationEnabled: true };
    await home.client.ok('PUT', path, all);
    await home.client.ok('PUT', path, { ...all, name: 'Room 2', volume: 0 });
    const [line] = await linesOf('operation=putMakerABasicConfig');
    expect(line?.details).toEqual([{ field: 'volume', from: 50, to: 0 }]);
  });

  test('an audit entry shows the first configuration change', async () => {
    const { sensorId } = await linkSensor(home.client);
    const at = `/sensors/${sensorId}/maker_a/config`;
    const change = async (name: string, operation: string, to: object, client?: Client) => {
      const line = await replace(`${at}/${name}`, operation, to, client);
      return line?.details;
    };
    expect(await change('basic', 'putMakerABasicConfig', { learningModeEnabled: true })).toEqual([
      { field: 'learningModeEnabled', from: false, to: true },
    ]);
    const silent = { silentModeEnabled: true, wifiHealthMonitorMaxDisconnects: 16 };
    expect(await change('critical', 'putMakerACriticalConfig', silent, admin)).toEqual([
      { field: 'silentModeEnabled', from: false, to: true },
      { field: 'wifiHealthMonitorMaxDisconnects', from: 15, to: 16 },
    ]);
  });

  test('an audit entry shows what was removed from groups, emergency contacts and rosters', async () => {
    const { client, customerId, userId } = home;
    const [one, other] = [await linkSensor(client), await linkSensor(client)];
    const sensorIds = [one.sensorId, other.sensorId].sort();
    const { id } = await client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'Ward', sensorIds });
    const left = { sensorIds: [one.sensorId] };
    const group = await replace(`/sensor-groups/${id}`, 'updateSensorGroup', left);
    expect(group?.details).toEqual([{ field: 'sensorIds', from: sensorIds, to: left.sensorIds }]);

    const contact = { userId, by: 'email' } as const;
    await store(cloud.runtime.table).channels.put(
      { customerId, userId },
      { by: 'email', address: 'anna@example.com', provenDate: cloud.runtime.now() },
      null,
    );
    const contacts = `/customers/${customerId}/emergency-contacts`;
    await client.ok('PUT', contacts, [contact]);
    await client.ok('PUT', contacts, []);
    const changes = (await linesOf('operation=setEmergencyContacts')).map((line) => [line.changes, line.details]);
    // Lines from the same millisecond have no defined order.
    expect(changes).toHaveLength(2);
    expect(changes).toEqual(
      expect.arrayContaining([
        [['emergencyContacts'], [{ field: 'emergencyContacts', from: [contact], to: [] }]],
        [['emergencyContacts'], [{ field: 'emergencyContacts', from: [], to: [contact] }]],
      ]),
    );

    // Too long for one line: only the removed shift is shown.
    const shift = (from: string) => ({ userId, days: [1, 2, 3, 4, 5, 6, 7], from, to: '23:30' });
    const shifts = Array.from({ length: 20 }, (_, hour) => shift(`${String(hour).padStart(2, '0')}:00`));
    await client.ok('PUT', `/customers/${customerId}/roster`, shifts);
    await client.ok('PUT', `/customers/${customerId}/roster`, shifts.slice(1));
    const [roster] = await linesOf('operation=setRoster');
    expect(roster?.details).toEqual([{ field: 'roster', from: [shifts[0]], to: [] }]);
  });

  test("an audit entry shows how a fall's outcome was changed", async () => {
    const { sensorId, device } = await linkSensor(home.client);
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', cloud.runtime.now()));
    await cloud.idle();
    const events = `/sensors/${sensorId}/events`;
    const [page] = await home.client.ok<{ data: { uuid: string }[] }[]>('GET', events);
    const close = (outcome: string) =>
      home.client.ok('PUT', `/sensors/${sensorId}/falls/${page?.data.at(-1)?.uuid}/closure`, { outcome });
    await close('helped');
    await close('false_alarm');
    expect((await linesOf('operation=closeFall')).map(({ details }) => details)).toEqual([
      [{ field: 'outcome', from: 'helped', to: 'false_alarm' }],
      [{ field: 'outcome', from: null, to: 'helped' }],
    ]);
  });

  test('an audit entry shows where a sensor was moved and whose data was erased', async () => {
    const mover = await createHome(admin, 'mover', ALL_PERMISSIONS);
    const { sensorId } = await linkSensor(mover.client);
    const user = await hireFor(admin, mover.customerId, 'leaver');
    const subject = { kind: 'user', id: user.id } as const;
    await mover.client.ok('POST', `/customers/${mover.customerId}/erasures`, {
      subject,
      reason: 'asked for it',
      password: mover.password,
    });
    await admin.ok('PUT', `/sensors/${sensorId}/customer`, { customerId: home.customerId });
    const [moved] = await linesOf('operation=setSensorCustomer', mover.customerId);
    expect(moved?.details).toEqual([{ field: 'customerId', from: mover.customerId, to: home.customerId }]);
    const [erased] = await linesOf('operation=createErasure', mover.customerId);
    expect(erased?.details).toEqual([{ field: 'subject', from: null, to: subject }]);
  });

  test('an audit entry contains no names, addresses, secrets or unchanged values', async () => {
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

describe('object names in the audit log', () => {
  test("the audit log shows an object's current name until the object is deleted", async () => {
    const { id } = await home.client.ok<{ id: number }>('POST', '/bots', { name: 'Bell', locale: 'de' });
    const named = async () => (await linesOf(`objectKind=bot&objectId=${id}`)).at(-1)?.object;
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: 'Bell' });
    await home.client.ok('PUT', `/bots/${id}`, { name: 'Gong', locale: 'de' });
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: 'Gong' });
    await home.client.ok('DELETE', `/bots/${id}`);
    expect(await named()).toEqual({ kind: 'bot', id: String(id), name: null });
  });

  test('the audit log names rules, webhooks, sensors, groups, users and the customer', async () => {
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

  test("the audit log never names other customers' objects, even after a refused request", async () => {
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
