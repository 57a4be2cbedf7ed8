import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { MAX_ENTRIES } from '#shared/domain/people/roster.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
/** A Tuesday, at noon in Berlin. */
const start = Date.parse('2027-01-05T11:00:00Z');
let time = start;
let cloud: Cloud;
let admin: Client;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => time, after: systemClock.after } });
  admin = await adminOf(cloud.url);
});
afterAll(() => cloud.stop());

/** Returns the client with an access token, because sessions expire after a day. */
const lasting = async (client: Client): Promise<Client> =>
  client.as((await client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' })).token);

let homes = 0;
const furnish = async (timeZone = 'Europe/Berlin') => {
  time = start;
  const name = `home-${++homes}`;
  const home = await createHome(admin, name, ['manage_rules', 'manage_users']);
  const { customerId } = home;
  await admin.ok('PUT', `/customers/${customerId}`, { name, location: '', email: '', timeZone });
  const client = await lasting(home.client);
  const hire = async (username: string) => {
    const user = await hireFor(admin, customerId, `${username}-${name}`, { firstName: username, lastName: '' });
    return { ...user, client: await lasting(user.client) };
  };
  const path = `/customers/${customerId}/roster`;
  const list = () => client.ok<{ userId: number }[]>('GET', `/customers/${customerId}/duty`);
  return {
    ...home,
    session: home.client,
    client,
    hire,
    path,
    list,
    set: (entries: unknown) => client.call('PUT', path, entries),
  };
};
const day = (date: number): string => new Date(date).toISOString().slice(0, 10);

describe('a roster', () => {
  test('a roster starts empty and is replaced as a whole', async () => {
    const { client, set, path, hire } = await furnish();
    const anna = await hire('anna');
    expect(await client.ok('GET', path)).toEqual([]);
    const entries = [
      { userId: anna.id, days: [1, 2], from: '22:00', to: '06:00' },
      { userId: anna.id, date: '2027-01-07', from: '08:00', to: '16:00' },
      { userId: anna.id, date: '2027-01-08', off: true },
    ];
    const { status, body } = await set(entries);
    expect([status, body]).toEqual([200, entries]);
    expect(await anna.client.ok('GET', path)).toEqual(entries);
    await set([]);
    expect(await anna.client.ok('GET', path)).toEqual([]);
  });

  test('a roster lists possible members and their channels', async () => {
    const { customerId, userId, hire, path } = await furnish();
    const [anna, ben] = [await hire('anna'), await hire('ben')];
    const { channels } = store(cloud.runtime.table);
    const verified = { by: 'email', address: 'anna@example.com', provenDate: start } as const;
    await channels.put({ customerId, userId: anna.id }, verified, null);
    const lost = { ...verified, by: 'sms', address: '+491700000000', undeliverableDate: start } as const;
    await channels.put({ customerId, userId: anna.id }, lost, null);
    await admin.ok('PUT', `/users/${ben.id}/access`, { canLogin: false, permissions: [], isAdmin: false });
    expect(await anna.client.ok('GET', `${path}/people`)).toEqual([
      { userId, name: expect.any(String), reachableBy: [] },
      { userId: anna.id, name: 'anna', reachableBy: ['email'] },
    ]);
  });

  test('a roster puts users on duty until the shift ends', async () => {
    const { set, hire, list } = await furnish();
    const anna = await hire('anna');
    const ben = await hire('ben');
    await set([
      { userId: ben.id, date: '2027-01-05', from: '11:00', to: '13:00' },
      { userId: anna.id, days: [2], from: '08:00', to: '16:00' },
    ]);
    await ben.client.ok('PUT', '/users/me/duty', { until: time + 3 * HOUR });
    expect(await list()).toEqual([
      { userId: anna.id, name: 'anna', until: start + 4 * HOUR, source: 'roster', reachableBy: [] },
      { userId: ben.id, name: 'ben', until: start + 3 * HOUR, source: 'self', reachableBy: [] },
    ]);
    time = start + 4 * HOUR;
    expect(await list()).toEqual([]);
  });

  test('users who go off duty during a roster shift stay off duty until the next shift', async () => {
    const { set, hire, list } = await furnish();
    const anna = await hire('anna');
    await set([{ userId: anna.id, days: ALL_DAYS, from: '08:00', to: '16:00' }]);
    await anna.client.ok('DELETE', '/users/me/duty');
    expect(await list()).toEqual([]);
    await set([{ userId: anna.id, days: ALL_DAYS, from: '07:00', to: '17:00' }]);
    expect(await list()).toEqual([]);
    time = start + DAY;
    expect(await list()).toMatchObject([{ userId: anna.id, source: 'roster' }]);
    await anna.client.ok('DELETE', '/users/me/duty');
    expect(await list()).toEqual([]);
    await anna.client.ok('PUT', '/users/me/duty', { until: time + HOUR });
    expect(await list()).toMatchObject([{ userId: anna.id, source: 'self' }]);
  });

  test('users who go off duty before a roster shift are on duty once the shift begins', async () => {
    const { set, hire, list } = await furnish();
    const anna = await hire('anna');
    await set([{ userId: anna.id, days: ALL_DAYS, from: '13:00', to: '14:00' }]);
    await anna.client.ok('DELETE', '/users/me/duty');
    time = start + HOUR;
    expect(await list()).toMatchObject([{ userId: anna.id }]);
  });

  test('a roster ignores locked-out users and drops deleted ones', async () => {
    const { client, session, set, hire, list, path } = await furnish();
    const anna = await hire('anna');
    const ben = await hire('ben');
    const entry = (userId: number) => ({ userId, days: ALL_DAYS, from: '00:00', to: '00:00' });
    await set([entry(anna.id), entry(ben.id)]);
    await session.ok('PUT', `/users/${anna.id}/access`, { canLogin: false, permissions: [] });
    expect(await list()).toMatchObject([{ userId: ben.id }]);
    await client.ok('DELETE', `/users/${ben.id}`);
    expect(await list()).toEqual([]);
    expect(await client.ok('GET', path)).toEqual([entry(anna.id)]);
    expect((await set([entry(anna.id)])).status).toBe(400);
    await session.ok('PUT', `/users/${anna.id}/access`, { canLogin: true, permissions: [] });
    expect(await list()).toMatchObject([{ userId: anna.id }]);
  });

  test('a roster drops entries for days before yesterday', async () => {
    const { client, set, hire, path } = await furnish();
    const { id: userId } = await hire('anna');
    const off = (date: string) => ({ userId, date, off: true });
    const dates = ['2026-12-31', '2027-01-03', '2027-01-04', '2027-01-05'];
    expect((await set(dates.map(off))).body).toEqual(['2027-01-04', '2027-01-05'].map(off));
    time = start + DAY;
    expect(await client.ok('GET', path)).toEqual([off('2027-01-05')]);
  });

  test("a roster uses the customer's new time zone after a change", async () => {
    const { customerId, set, hire, list } = await furnish();
    const { id: userId } = await hire('anna');
    await set([{ userId, days: [2], from: '12:00', to: '13:00' }]);
    expect(await list()).toHaveLength(1);
    await admin.ok('PUT', `/customers/${customerId}`, { name: 'n', location: '', email: '', timeZone: 'UTC' });
    expect(await list()).toEqual([]);
    time = start + HOUR;
    expect(await list()).toHaveLength(1);
  });
});

describe('PUT roster', () => {
  test('PUT roster returns 400 and names the invalid field', async () => {
    const { set, hire } = await furnish();
    const { id: userId } = await hire('anna');
    const weekly = { userId, days: [1], from: '08:00', to: '16:00' };
    const dated = { userId, date: day(start), from: '08:00', to: '16:00' };
    const wrong: [unknown, string][] = [
      [{ ...weekly, days: [] }, '0.days'],
      [{ ...weekly, days: [0] }, '0.days.0'],
      [{ ...weekly, days: [8] }, '0.days.0'],
      [{ ...weekly, from: '24:00' }, '0.from'],
      [{ ...weekly, to: '6:00' }, '0.to'],
      [{ ...weekly, userId: 0 }, '0.userId'],
      [{ ...weekly, userId: 987_654_321 }, '0.userId'],
      [{ ...dated, date: '2027-02-29' }, '0.date'],
      [{ ...dated, date: '05.01.2027' }, '0.date'],
      [{ ...dated, date: day(start + 63 * DAY) }, '0.date'],
      [{ userId, date: day(start + 63 * DAY), off: true }, '0.date'],
      [{ userId, date: day(start), off: false }, '0.off'],
    ];
    for (const [entry, path] of wrong) {
      const { status, body } = await set([entry]);
      expect([entry, status, body]).toMatchObject([entry, 400, { errors: [{ path }] }]);
    }
    for (const entry of [{ ...weekly, ...dated }, { userId }, { ...dated, off: true }, null, 'x', []])
      expect([entry, (await set([entry])).status]).toEqual([entry, 400]);
    expect((await set({})).status).toBe(400);
    expect((await set([{ ...dated, date: day(start + 62 * DAY) }])).status).toBe(200);
  });

  test('returns 400 for more than 500 roster entries', async () => {
    const { set, hire, list } = await furnish();
    const { id: userId } = await hire('anna');
    const entries = (count: number) =>
      Array.from({ length: count }, () => ({ userId, days: ALL_DAYS, from: '08:00', to: '16:00' }));
    expect((await set(entries(MAX_ENTRIES + 1))).status).toBe(400);
    expect((await set(entries(MAX_ENTRIES))).status).toBe(200);
    expect(await list()).toMatchObject([{ userId }]);
  });
});

test('changing a roster requires manage_rules', async () => {
  const { hire, path } = await furnish();
  const anna = await hire('anna');
  const other = await furnish();
  expect((await anna.client.call('PUT', path, [])).status).toBe(403);
  const unknown = await other.client.call('GET', '/customers/987654321/roster');
  const foreign = await other.client.call('GET', path);
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  expect((await other.client.call('PUT', path, [])).status).toBe(404);
  expect((await admin.call('GET', '/customers/987654321/roster')).status).toBe(404);
});
