import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Client } from '#test/fixtures/client.ts';
import { clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud, unscheduled } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor, linkSensor } from '#test/fixtures/home.ts';
import { a } from '#test/fixtures/messages.ts';

const DAY = 86_400_000;
let skipped = 0;
let last = 0;
/** Never returns the same time twice, because entries from the same millisecond have no defined order. */
const now = (): number => {
  last = Math.max(last + 1, Date.now() + skipped);
  return last;
};
let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now, after: unscheduled.after } });
  admin = await adminOf(cloud.url);
});
afterAll(() => cloud.stop());

type Page = { total: number; data: AuditEntry[] };
const auditOf = async (client: Client, customerId: number, query = ''): Promise<Page> => {
  const [page] = await client.ok<[Page]>('GET', `/customers/${customerId}/audit${query}`);
  return page;
};
const summaryOf = ({ operation, actor, object: { kind, id }, changes, refused }: AuditEntry) => ({
  operation,
  actor,
  object: { kind, id },
  changes,
  ...(refused && { refused }),
});
let homes = 0;
const home = () => createHome(admin, `home${++homes}`, ['manage_users', 'manage_bots', 'manage_sensors']);

describe('the audit log', () => {
  test('records which fields a session, access token or device changed', async () => {
    const { client, customerId, userId, username } = await home();
    const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'n', locale: 'de' });
    const body = { name: 'night shift', permissions: null, readOnly: false, expiresAt: null };
    const { token } = await client.ok<{ token: string }>('POST', '/users/me/access-tokens', body);
    await client.as(token).ok('PUT', `/bots/${bot.id}`, { name: 'm', locale: 'de' });
    const { sensorId, device } = await linkSensor(client);
    await device.ok('POST', `/devices/${sensorId}/pairing-code`);
    await device.ok('POST', `/devices/${sensorId}/messages`, a.state());
    const user = { kind: 'user', id: String(userId), name: username };
    const sensor = { kind: 'sensor', id: sensorId };
    const lines = (await auditOf(client, customerId)).data.map(summaryOf);
    expect(lines.slice(0, 5)).toEqual([
      {
        operation: 'drawPairingCode',
        actor: { kind: 'device', id: sensorId, name: null },
        object: sensor,
        changes: [],
      },
      { operation: 'linkSensor', actor: user, object: sensor, changes: ['manufacturer', 'code'] },
      {
        operation: 'updateBot',
        actor: { ...user, kind: 'token', name: `${username} (night shift)` },
        object: { kind: 'bot', id: String(bot.id) },
        changes: ['name', 'locale'],
      },
      {
        operation: 'createAccessToken',
        actor: user,
        object: { kind: 'user', id: String(userId) },
        changes: Object.keys(body),
      },
      { operation: 'createBot', actor: user, object: { kind: 'bot', id: String(bot.id) }, changes: ['name', 'locale'] },
    ]);
    expect(JSON.stringify(lines)).not.toContain(token);
    const { data } = await auditOf(admin, 0, `?objectId=${sensorId}`);
    const actor = { kind: 'key', name: expect.any(String) };
    expect(data).toMatchObject([{ operation: 'registerDevice', actor, object: sensor }]);
  });

  test('records logins, including wrong passwords and unknown usernames', async () => {
    const { client, customerId, userId, username, password } = await home();
    const anybody = clientOf(cloud.url);
    expect((await anybody.call('POST', '/users/login', { username, password: 'a-wrong-password' })).status).toBe(401);
    await logIn(anybody, username, password);
    const actor = { kind: 'user', id: String(userId), name: username };
    const object = { kind: 'user', id: String(userId) };
    const { data } = await auditOf(client, customerId, '?operation=login');
    expect(data.map(summaryOf).slice(0, 2)).toEqual([
      { operation: 'login', actor, object, changes: ['username', 'password'] },
      { operation: 'login', actor, object, changes: [], refused: true },
    ]);
    const nobody = { username: 'nobody-of-this-name', password: 'a-wrong-password' };
    expect((await anybody.call('POST', '/users/login', nobody)).status).toBe(401);
    const [line] = (await auditOf(admin, 0, '?operation=login&refused=true')).data;
    expect(line).toMatchObject({ actor: { kind: 'user', id: null, name: null }, refused: true });
    expect(JSON.stringify([data, line])).not.toMatch(/nobody-of|a-wrong-password|long-password/);
  });

  test('records the stored username, however it was spelled at login', async () => {
    const { client, customerId, username, password } = await home();
    const wide = [...username].map((char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0)).join('');
    const anybody = clientOf(cloud.url);
    await logIn(anybody, username.toUpperCase(), password);
    const refused = await anybody.call('POST', '/users/login', { username: wide, password: 'a-wrong-password' });
    expect(refused.status).toBe(401);
    const { data } = await auditOf(client, customerId, '?operation=login');
    expect(data.map(({ actor }) => actor.name)).toEqual([username, username, username]);
  });

  test('records only refusals caused by a missing permission', async () => {
    const { client, customerId, userId, username } = await home();
    const guest = await hireFor(admin, customerId, `guest${homes}`);
    const before = (await auditOf(client, customerId)).total;
    expect((await guest.client.call('GET', `/customers/${customerId}/audit`)).status).toBe(403);
    const more = { firstName: '', lastName: '', email: '', password: 'a-good-long-password' };
    expect((await client.call('POST', '/users', { ...more, username, permissions: [] })).status).toBe(409);
    expect(
      (await client.call('POST', '/users', { ...more, username: 'x', permissions: ['manage_rules'] })).status,
    ).toBe(403);
    expect((await client.call('GET', '/bots/987654')).status).toBe(404);
    const { data, total } = await auditOf(client, customerId);
    expect(total - before).toBe(2);
    expect(data.slice(0, 2).map(summaryOf)).toEqual([
      {
        operation: 'createUser',
        actor: { kind: 'user', id: String(userId), name: username },
        object: { kind: 'user', id: String(userId) },
        changes: [],
        refused: true,
      },
      {
        operation: 'listAudit',
        actor: { kind: 'user', id: String(guest.id), name: guest.username },
        object: { kind: 'customer', id: String(customerId) },
        changes: [],
        refused: true,
      },
    ]);
  });
});

describe('audit entries for refused requests', () => {
  test('repeated refusals within a minute share one entry with a count', async () => {
    const { client, customerId } = await home();
    const bot = await client.ok<{ id: number }>('POST', '/bots', { name: 'the change to hide', locale: 'de' });
    const guest = await hireFor(admin, customerId, `stubborn${homes}`);
    const refusals = async () => (await auditOf(client, customerId, '?operation=deleteBot&refused=true')).data;
    const refuse = () => guest.client.call('DELETE', `/bots/${bot.id}`);
    await Promise.all(Array.from({ length: 30 }, refuse));
    expect(await refusals()).toMatchObject([{ count: 30, object: { kind: 'bot', id: String(bot.id) } }]);
    skipped += 120_000;
    await refuse();
    expect((await refusals()).map(({ count }) => count)).toEqual([1, 30]);
    const [created] = (await auditOf(client, customerId, '?operation=createBot')).data;
    expect(created?.count).toBeUndefined();
  });

  test('records at most eleven refusals per caller per minute', async () => {
    const { client, customerId } = await home();
    const guest = await hireFor(admin, customerId, `flooding${homes}`);
    await client.ok('POST', '/bots', { name: 'the change to hide', locale: 'de' });
    for (let n = 1; n <= 15; n++)
      await Promise.all([1, 2, 3, 4].map((m) => guest.client.call('DELETE', `/bots/${4 * n + m}`)));
    const { data } = await auditOf(client, customerId, '?operation=deleteBot&refused=true');
    expect(data.length).toBe(11);
    expect(data.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(60);
    expect((await auditOf(client, customerId, '?operation=createBot')).total).toBe(1);
  });
});

test('records going off duty only once, even if requested ten times', async () => {
  const { client, customerId } = await home();
  await client.ok('PUT', '/users/me/duty', { until: now() + 60_000 });
  await Promise.all(Array.from({ length: 10 }, () => client.ok('DELETE', '/users/me/duty')));
  expect((await auditOf(client, customerId, '?operation=endDuty')).total).toBe(1);
});

describe('listing audit entries', () => {
  test('filters audit entries by actor, operation, object, time and refusal', async () => {
    const { client, customerId, userId } = await home();
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      ids.push((await client.ok<{ id: number }>('POST', '/bots', { name, locale: 'de' })).id);
      skipped += 1_000;
    }
    const [, second] = ids;
    const list = (query: string) => auditOf(client, customerId, query);
    const [newest, middle] = (await list('?operation=createBot')).data;
    expect((await list(`?objectKind=bot&objectId=${second}`)).data).toEqual([middle]);
    expect((await list(`?objectKind=user&objectId=${second}&operation=createBot`)).data).toEqual([]);
    expect((await list(`?since=${newest?.date}`)).data).toEqual([newest]);
    expect((await list(`?until=${middle?.date}&operation=createBot`)).total).toBe(2);
    expect((await list('?refused=true')).data).toEqual([]);
    expect((await list(`?refused=false&actorId=${userId}&operation=createBot`)).total).toBe(3);
    expect((await list('?operation=createBot&perPage=1&page=1')).data).toEqual([middle]);
    expect((await list(`?operation=createBot&after=${newest?.id}`)).data[0]).toEqual(middle);
    expect((await client.call('GET', `/customers/${customerId}/audit?refused=maybe`)).status).toBe(400);
    expect((await client.call('GET', `/customers/${customerId}/audit?after=x`)).status).toBe(400);
  });

  test("returns 404 for another customer's audit log", async () => {
    const ours = await home();
    const theirs = await home();
    for (const id of [theirs.customerId, 0, 987_654])
      expect((await ours.client.call('GET', `/customers/${id}/audit`)).status).toBe(404);
    expect((await admin.call('GET', '/customers/987654/audit')).status).toBe(404);
    expect((await auditOf(admin, theirs.customerId)).total).toBeGreaterThan(0);
  });

  test('system admins can still read the audit log after the customer is deleted', async () => {
    const { id } = await admin.ok<{ id: number }>('POST', '/customers', { name: 'n', location: '', email: '' });
    await admin.ok('DELETE', `/customers/${id}`);
    const { data } = await auditOf(admin, id);
    expect(data.map(({ operation }) => operation)).toEqual(['createCustomer']);
    const object = { kind: 'customer', id: String(id) };
    const [deletion] = (await auditOf(admin, 0, '?operation=deleteCustomer')).data;
    expect(deletion).toMatchObject({ object, actor: { name: 'admin' } });
  });

  test('drops audit entries after 400 days', async () => {
    const { customerId } = await home();
    skipped += 399 * DAY;
    const late = await adminOf(cloud.url);
    expect((await auditOf(late, customerId)).total).toBeGreaterThan(0);
    skipped += DAY + 60_000;
    const later = await adminOf(cloud.url);
    expect((await auditOf(later, customerId)).total).toBe(0);
  });
});
