import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { ChannelKind } from '#shared/domain/people/channel.ts';
import { store } from '#shared/store/store.ts';
import type { Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome, hireFor } from '#test/fixtures/home.ts';

const HOUR = 3_600_000;
let time = 1_800_000_000_000;
let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => time, after: systemClock.after } });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ['manage_users']);
});
afterAll(() => cloud.stop());

const hire = (username: string) => hireFor(admin, home.customerId, username, { firstName: 'Anna', lastName: 'Meier' });
const begin = (client: Client, until: unknown) => client.call('PUT', '/users/me/duty', { until });
const list = (client = home.client) => client.ok('GET', `/customers/${home.customerId}/duty`);

test('a user is listed as on duty until the given time', async () => {
  const { id, client } = await hire('anna');
  expect(await client.ok('PUT', '/users/me/duty', { until: time + HOUR })).toEqual({
    until: time + HOUR,
    reachableBy: [],
  });
  const anna = { userId: id, name: 'Anna Meier', source: 'self', reachableBy: [] };
  expect(await list()).toEqual([{ ...anna, until: time + HOUR }]);
  await client.ok('PUT', '/users/me/duty', { until: time + 2 * HOUR });
  expect(await list()).toEqual([{ ...anna, until: time + 2 * HOUR }]);
  time += 2 * HOUR - 1;
  expect(await list()).toHaveLength(1);
  time += 1;
  expect(await list()).toEqual([]);
});

test("the list of users on duty shows each user's verified channels", async () => {
  const { id: userId, client } = await hire('reachable');
  const { channels } = store(cloud.runtime.table);
  const user = { customerId: home.customerId, userId };
  const put = (by: ChannelKind, provenDate: number | null, more = {}) =>
    channels.put(user, { by, address: 'x@example.com', provenDate, ...more }, null);
  await put('telegram', null);
  await put('sms', 1, { undeliverableDate: 2, undeliverableReason: 'EXPIRED' });
  await put('email', 1);
  const until = time + HOUR;
  expect(await client.ok('PUT', '/users/me/duty', { until })).toEqual({ until, reachableBy: ['email'] });
  expect(await list()).toMatchObject([{ userId, reachableBy: ['email'] }]);
  await client.ok('DELETE', '/users/me/duty');
  expect(await list()).toEqual([]);
});

test('duty ends when the user goes off duty, is locked out, or is deleted', async () => {
  const first = await hire('one');
  const second = await hire('two');
  const third = await hire('three');
  for (const { client } of [first, second, third]) await begin(client, time + HOUR);
  expect(await list()).toHaveLength(3);
  await first.client.ok('DELETE', '/users/me/duty');
  await first.client.ok('DELETE', '/users/me/duty');
  expect(await list()).toHaveLength(2);
  await home.client.ok('PUT', `/users/${second.id}/access`, { canLogin: false, permissions: [] });
  expect(await list()).toHaveLength(1);
  await home.client.ok('DELETE', `/users/${third.id}`);
  expect(await list()).toEqual([]);
});

test("a user's duty must end within the next 24 hours", async () => {
  const { client } = await hire('bounded');
  const day = 24 * HOUR;
  const wrong = [0, time, time - 1, time + day + 1, 2 ** 53, -1, 1.5, '1', null, Number.NaN, {}, [time + 1]];
  for (const until of wrong) expect([until, (await begin(client, until)).status]).toEqual([until, 400]);
  expect((await client.call('PUT', '/users/me/duty', '{"until":1e300}')).status).toBe(400);
  expect((await begin(client, time + day)).status).toBe(200);
  expect((await begin(client, time + 1)).status).toBe(200);
});

test('the duty list returns 404 for users of other customers', async () => {
  const other = await createHome(admin, 'other', []);
  const path = `/customers/${home.customerId}/duty`;
  const unknown = await other.client.call('GET', '/customers/987654321/duty');
  const foreign = await other.client.call('GET', path);
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  expect((await admin.call('GET', path)).status).toBe(200);
  expect((await admin.call('GET', '/customers/987654321/duty')).status).toBe(404);
});

test('access tokens can put the user on duty, unless they are read-only', async () => {
  const { client } = await hire('roster');
  const make = (readOnly: boolean) =>
    client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n', readOnly });
  const writing = await make(false);
  const reading = await make(true);
  expect((await begin(client.as(writing.token), time + HOUR)).status).toBe(200);
  expect((await begin(client.as(reading.token), time + HOUR)).status).toBe(403);
});
