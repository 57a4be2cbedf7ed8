import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#lib/local/clock.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import type { AnsweredFall } from '#shared/domain/event/answered-fall.ts';
import type { RuleHit } from '#shared/domain/rule/rule-hit.ts';
import { type Answer, type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD, startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createAlarm, createHome, fallMessage, linkSensor } from '#test/fixtures/home.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let ahead = 0;
let cloud: Cloud;
let admin: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: { now: () => systemClock.now() + ahead, after: systemClock.after } });
  admin = await adminOf(cloud.url);
  home = await createHome(admin, 'home', ALL_PERMISSIONS);
});
afterAll(() => cloud.stop());

const anybody = () => clientOf(cloud.url);
const newDisplay = (user = home) => logIn(anybody(), user.username, user.password, { display: true });
const read = async (client: Client) => (await client.call('GET', `/customers/${home.customerId}/watch`)).status;
const cookiesOf = ({ headers }: Answer) => headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
const maxAgesOf = ({ headers }: Answer) =>
  headers.getSetCookie().map((line) => Number(/Max-Age=(\d+)/.exec(line)?.[1]));

/** Logs in like a display's browser. Later requests send the login cookies. */
const openBrowser = async () => {
  const { username, password } = home;
  const login = await anybody().call('POST', '/users/login', { username, password, display: true });
  const cookies = cookiesOf(login);
  const csrf = cookies.find((pair) => pair.startsWith('PSCSRF='))?.slice('PSCSRF='.length) ?? '';
  const call = (method: string, path: string, body?: unknown) =>
    anybody().call(method, path, body, { cookie: cookies.join('; '), 'x-csrf-token': csrf });
  return { login, cookies, call };
};

/** Reports a fall from a new sensor. Returns the hit and the path that acknowledges it. */
const fallOfNewSensor = async () => {
  const { sensorId, device } = await linkSensor(home.client);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', cloud.runtime.now()));
  await cloud.idle();
  const hits = `/customers/${home.customerId}/rule-hits`;
  const [page] = await home.client.ok<{ data: RuleHit[] }[]>('GET', `${hits}?sensorId=${sensorId}`);
  const [hit] = page?.data ?? [];
  if (!hit) throw new Error('the fall made no hit');
  const path = `/sensors/${sensorId}/falls/${hit.sensorEventId}/acknowledgement`;
  return { path, hitPath: `${hits}/${hit.id}/acknowledgement`, sensorId };
};

describe('a display session', () => {
  test('a display session lasts 24 hours after the last use, and at most 90 days', async () => {
    const display = await newDisplay();
    const begin = ahead;
    for (; ahead - begin < 90 * DAY; ahead += DAY - HOUR) expect(await read(display), `${ahead / HOUR} h`).toBe(200);
    ahead = begin + 90 * DAY - HOUR / 2;
    expect(await read(display)).toBe(200);
    ahead = begin + 90 * DAY + HOUR / 2;
    expect(await read(display)).toBe(401);
  });

  test('refused requests do not extend a display session', async () => {
    const home = await createHome(await adminOf(cloud.url), 'unused', ALL_PERMISSIONS);
    const display = await logIn(anybody(), home.username, home.password, { display: true });
    const watch = `/customers/${home.customerId}/watch`;
    ahead += 23 * HOUR;
    expect((await display.call('GET', watch)).status).toBe(200);
    ahead += 23 * HOUR;
    expect((await display.call('GET', '/users/me')).status).toBe(403);
    ahead += 2 * HOUR;
    expect((await display.call('GET', watch)).status).toBe(401);
  });

  test("a display session's cookies are renewed hourly with the same values", async () => {
    const { login, cookies, call } = await openBrowser();
    const path = `/customers/${home.customerId}/open-falls`;
    expect(maxAgesOf(login)).toEqual([86_400, 86_400, 86_400]);
    expect((await call('GET', path)).headers.getSetCookie()).toEqual([]);
    ahead += HOUR + 1_000;
    const answers = await Promise.all(Array.from({ length: 5 }, () => call('GET', path)));
    const renewed = answers.filter(({ headers }) => headers.getSetCookie().length > 0);
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect(renewed.map((answer) => [cookiesOf(answer), maxAgesOf(answer)])).toEqual([
      [cookies, [86_400, 86_400, 86_400]],
    ]);
    expect((await call('GET', path)).headers.getSetCookie()).toEqual([]);
  });

  test('a display session can still be listed and ended months later', async () => {
    const display = await newDisplay();
    const list = async () => {
      const client = await logIn(anybody(), home.username, home.password);
      const sessions = await client.ok<{ id: string; display: boolean; expires: number }[]>(
        'GET',
        '/users/me/sessions',
      );
      return { client, displays: sessions.filter((session) => session.display) };
    };
    for (let days = 0; days < 30; days++) {
      ahead += DAY - HOUR;
      expect(await read(display)).toBe(200);
    }
    const { client, displays } = await list();
    expect(displays).toEqual([expect.objectContaining({ display: true, expires: expect.any(Number) })]);
    expect((displays[0]?.expires ?? 0) - cloud.runtime.now()).toBeGreaterThan(23 * HOUR);
    await client.ok('DELETE', `/users/me/sessions/${displays[0]?.id}`);
    expect([await read(display), (await list()).displays]).toEqual([401, []]);
  });

  test('logging out of a display deletes the cookies, even if they were due for renewal', async () => {
    const { call } = await openBrowser();
    ahead += 2 * HOUR;
    const answer = await call('POST', '/users/logout');
    expect(answer.status, answer.text).toBe(200);
    expect(maxAgesOf(answer).slice(-3)).toEqual([0, 0, 0]);
    expect((await call('GET', '/sensors')).status).toBe(401);
  });

  test("a display session ends when the user's password changes or the user is locked out", async () => {
    const boss = await adminOf(cloud.url);
    const { username, password, userId } = await createHome(boss, 'leaving', []);
    const watching = () => logIn(anybody(), username, password, { display: true });
    const first = await watching();
    await boss.ok('PUT', `/users/${userId}/password`, { newPassword: 'another-long-password' });
    expect((await first.call('GET', '/sensors')).status).toBe(401);
    const second = await logIn(anybody(), username, 'another-long-password', { display: true });
    await boss.ok('PUT', `/users/${userId}/access`, { canLogin: false, permissions: [] });
    expect((await second.call('GET', '/sensors')).status).toBe(401);
  });

  test('a display session has no permissions, even if the user is a system admin', async () => {
    const display = await logIn(anybody(), 'admin', ADMIN_PASSWORD, {
      display: true,
    });
    expect((await display.call('GET', `/customers/${home.customerId}/watch`)).status).not.toBe(200);
    expect((await display.call('GET', `/sensors?customerId=${home.customerId}`)).status).toBe(403);
    expect((await display.call('GET', '/metrics')).status).not.toBe(200);
    const health = await display.call('GET', '/health');
    expect(health.body).toEqual((await anybody().call('GET', '/health')).body);
  });

  test('a display session requires the second factor like any other', async () => {
    const boss = await adminOf(cloud.url);
    const { username, password, customerId } = await createHome(boss, 'careful', []);
    const customer = { name: 'careful', location: '', email: '', requireOtp: true };
    await boss.ok('PUT', `/customers/${customerId}`, customer);
    const display = await logIn(anybody(), username, password, { display: true });
    for (const [method, path] of [
      ['GET', '/sensors'],
      ['POST', '/users/me/otp'],
      ['GET', '/users/me'],
    ] as const)
      expect((await display.call(method, path)).status, path).toBe(403);
  });

  test('a display login is rejected if the display field is not a boolean', async () => {
    const { username, password } = home;
    const answers = [1, 'true', null].map((display) =>
      anybody().call('POST', '/users/login', { username, password, display }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400, 400]);
  });
});

describe('acknowledging on a display', () => {
  beforeAll(async () => {
    ahead = 0;
    home.client = await logIn(anybody(), home.username, home.password);
    await createAlarm(home.client, 'https://nowhere.example.com/');
  });
  const by = (name: string, note?: string) => ({
    acknowledgement: { userId: home.userId, name, date: expect.any(Number), ...(note && { note }) },
  });

  test("a display acknowledges a fall under a person's name", async () => {
    const { path, hitPath } = await fallOfNewSensor();
    const display = await newDisplay();
    for (const body of [{}, { name: '' }, { name: '   ' }, { name: 'x'.repeat(65) }, { name: 'a\u202eb' }])
      expect((await display.call('PUT', path, body)).status, JSON.stringify(body)).toBe(400);
    expect(await display.ok<AnsweredFall>('PUT', path, { name: ' Anna Meier ' })).toMatchObject(by('Anna Meier'));
    expect(await display.ok('PUT', hitPath, { name: 'Anna Meier', note: 'On my way' })).toMatchObject(
      by('Anna Meier', 'On my way'),
    );
  });

  test("a second acknowledgement on a display returns 409 with the first person's name", async () => {
    const { path, hitPath } = await fallOfNewSensor();
    const display = await newDisplay();
    expect(await display.ok('PUT', hitPath, { name: 'Anna' })).toMatchObject(by('Anna'));
    for (const at of [path, hitPath]) {
      const answer = await display.call('PUT', at, { name: 'Ben', note: 'mine' });
      expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('Anna')]);
    }
    expect(await display.ok('PUT', path, { name: 'Anna' })).toMatchObject(by('Anna'));
    expect((await display.call('DELETE', path)).status).toBe(403);
  });

  test('a name given with an acknowledgement is ignored outside display sessions', async () => {
    const { path } = await fallOfNewSensor();
    expect(await home.client.ok('PUT', path, { name: 'Somebody else' })).toMatchObject(by('A B'));
  });
});
