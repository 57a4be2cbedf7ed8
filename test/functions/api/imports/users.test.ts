import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '#shared/domain/identity/user.ts';
import { createImportWorld, placesIn } from '#test/fixtures/import-world.ts';

let world: Awaited<ReturnType<typeof createImportWorld>>;
beforeAll(async () => {
  world = await createImportWorld();
});
afterAll(() => world.stop());

type Home = Awaited<ReturnType<(typeof world)['furnish']>>;
const usersOf = async ({ session }: Home) => {
  const [page] = await session.ok<{ data: User[] }[]>('GET', '/users?perPage=200');
  return page?.data ?? [];
};
let last = 0;
const fresh = (name: string) => `${name}-${++last}`;

test('repeating a user import does not invite anyone twice', async () => {
  const home = await world.furnish();
  const [anna, berta] = [fresh('anna'), fresh('berta')];
  // As written by Excel.
  const file = [
    '\ufeffusername;firstName;lastName;email;locale;permissions;note',
    `${anna};Anna;"Ångström; née Öz";anna@example.com;de;manage_rules manage_sensors;x`,
    '',
    `${berta};Berta;B;berta@example.com;;;`,
  ].join('\r\n');
  expect(await home.dryRun('users', file)).toEqual({ rows: 2, created: 2, updated: 0 });
  expect((await usersOf(home)).map(({ username }) => username)).not.toContain(anna);

  const job = await home.load('users', file);
  expect(job).toMatchObject({ kind: 'users', state: 'completed', rows: 2, created: 2, updated: 0, errors: [] });
  const users = await usersOf(home);
  expect(users.find(({ username }) => username === anna)).toMatchObject({
    firstName: 'Anna',
    lastName: 'Ångström; née Öz',
    email: 'anna@example.com',
    locale: 'de',
    permissions: ['manage_rules', 'manage_sensors'],
    canLogin: true,
    isAdmin: false,
  });
  expect(users.find(({ username }) => username === berta)).toMatchObject({ locale: 'en', permissions: [] });
  const mails = world.sentMessages.filter(({ to }) => to === 'anna@example.com');
  expect(mails).toHaveLength(1);
  const [code = ''] = /^[\w-]{32}$/m.exec(mails[0]?.text ?? '') ?? [];
  await home.admin
    .as(undefined)
    .ok('POST', '/users/password-reset/confirm', { code, newPassword: 'seven-quiet-rivers' });
  const login = { username: anna, password: 'seven-quiet-rivers' };
  expect((await home.admin.as(undefined).call('POST', '/users/login', login)).status).toBe(200);

  expect(await home.load('users', file)).toMatchObject({ state: 'completed', rows: 2, created: 0, updated: 0 });
  expect(await usersOf(home)).toEqual(users);
  expect(world.sentMessages.filter(({ to }) => to === 'anna@example.com')).toHaveLength(1);
});

test("an import never changes an existing user's email address", async () => {
  const home = await world.furnish();
  const username = fresh('carla');
  const row = {
    username,
    firstName: 'Carla',
    lastName: 'C',
    email: 'carla@example.com',
    mobileNumber: '+491701234567',
  };
  await home.load('users', [{ ...row, permissions: ['manage_rules'] }]);
  const carla = async () => (await usersOf(home)).find((user) => user.username === username);
  const job = await home.load(
    'users',
    `username,lastName,permissions,mobileNumber\n${username.toUpperCase()},Cramer,manage_bots,\n`,
  );
  expect(job).toMatchObject({ state: 'completed', created: 0, updated: 1 });
  expect(await carla()).toMatchObject({ ...row, lastName: 'Cramer', permissions: ['manage_bots'] });
  const moved = await home.send('users', [{ username, email: 'other@example.com' }]);
  expect([moved.status, placesIn(moved.body)]).toEqual([400, [[1, 'email']]]);
  expect(await carla()).toMatchObject({ email: 'carla@example.com' });
});

test("an import reports all 30 errors in the caller's language and changes nothing", async () => {
  const home = await world.furnish();
  const good = (name: string) => ({ username: name, firstName: 'A', lastName: 'B', email: 'a@example.com' });
  const twice = fresh('twice');
  const rows = [
    { ...good(fresh('fine')) },
    { ...good(twice) },
    { ...good(twice) },
    ...Array.from({ length: 9 }, (_, at) => ({ ...good(fresh('bad')), email: `no address ${at}`, locale: '!' })),
    ...Array.from({ length: 10 }, () => ({ ...good(''), lastName: 'B' })),
    { ...good(fresh('free')), permissions: 'manage_everything' },
  ];
  const before = await usersOf(home);
  const { status, body } = await home.send('users', rows);
  const expected = [
    [3, 'username'],
    ...Array.from({ length: 9 }, (_, at) => [
      [4 + at, 'email'],
      [4 + at, 'locale'],
    ]).flat(),
    ...Array.from({ length: 10 }, (_, at) => [13 + at, 'username']),
    [23, 'permissions'],
  ];
  expect([status, expected.length]).toEqual([400, 30]);
  expect(placesIn(body).map(String).sort()).toEqual(expected.map(String).sort());
  expect(body).toMatchObject({
    statusCode: 400,
    errors: expect.arrayContaining([{ row: 3, field: 'username', path: '3.username', message: 'is also in row 2' }]),
  });
  const german = await home.session.call('POST', `/customers/${home.customerId}/imports?kind=users`, rows, {
    'accept-language': 'de',
  });
  expect((german.body as { errors: unknown[] }).errors).toHaveLength(30);
  expect(await usersOf(home)).toEqual(before);
});

test('an import cannot grant or revoke permissions that the caller cannot', async () => {
  const home = await world.furnish();
  const { client: limited } = await home.hire('Head', {}, { permissions: ['manage_users'] });
  const strong = await home.hire(
    'Strong',
    {},
    { permissions: ['manage_users', 'manage_rules'], email: 's@example.com' },
  );
  const row = { username: fresh('dora'), firstName: 'D', lastName: 'D', email: 'd@example.com' };
  const places = async (rows: object[]) => placesIn((await home.send('users', rows, limited)).body);
  expect(await places([{ ...row, permissions: 'manage_users manage_rules' }])).toEqual([[1, 'permissions']]);
  expect(await places([{ username: strong.username, permissions: ['manage_users'] }])).toEqual([[1, 'permissions']]);
  expect((await home.send('users', [{ ...row, permissions: 'manage_users' }], limited)).status).toBe(202);
  await world.idle();
  // Another customer's username is taken; the response reveals nothing else about that user.
  const other = await world.furnish();
  const foreign = await other.send('users', [row]);
  expect([foreign.status, placesIn(foreign.body)]).toEqual([400, [[1, 'username']]]);
});

test("only system admins can change a system admin's profile through an import", async () => {
  const home = await world.furnish();
  const chief = await home.hire('Chief', {}, { email: 'chief@example.com' });
  const access = { canLogin: true, permissions: [], isAdmin: true };
  await home.admin.ok('PUT', `/users/${chief.id}/access`, access);
  const row = { username: chief.username, lastName: 'Other', mobileNumber: '+4917012345' };
  const { status, body } = await home.send('users', [row]);
  expect([status, placesIn(body)]).toEqual([
    400,
    [
      [1, 'lastName'],
      [1, 'mobileNumber'],
    ],
  ]);
  expect(await home.dryRun('users', [{ username: chief.username }])).toMatchObject({ updated: 0 });
  expect(await home.dryRun('users', [row], home.admin)).toMatchObject({ updated: 1 });
});

test('access tokens cannot import users', async () => {
  const home = await world.furnish();
  const rows = [{ username: fresh('emma'), firstName: 'E', lastName: 'E', email: 'e@example.com' }];
  expect((await home.send('users', rows, home.client)).status).toBe(403);
  const { client } = await home.hire('Rules', {}, { permissions: ['manage_rules'] });
  for (const kind of ['users', 'sensors']) expect((await home.send(kind, [{ name: 'n' }], client)).status).toBe(403);
  expect((await home.send('rules', [{ name: 'n' }], client)).status).toBe(400);
});

test('refuses an entire import if it has more users than the daily invitation limit allows', async () => {
  const home = await world.furnish();
  const rows = Array.from({ length: 101 }, () => ({
    username: fresh('many'),
    firstName: '',
    lastName: '',
    email: 'm@example.com',
  }));
  const { status, body } = await home.send('users', rows);
  expect([status, body]).toMatchObject([409, { message: expect.stringContaining('100') }]);
  expect((await usersOf(home)).some(({ email }) => email === 'm@example.com')).toBe(false);
});
