import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { store } from '#shared/store/store.ts';
import { type Client, clientOf, logIn } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { ALL_PERMISSIONS, adminOf, createHome, linkSensor } from '#test/fixtures/home.ts';

let dataDir: string;
let before: Awaited<ReturnType<typeof createCredentials>>;
let restored: Cloud;
let anybody: Client;

const createToken = async (client: Client, userId: number): Promise<string> => {
  const { token } = await client.ok<{ token: string }>('POST', `/users/${userId}/access-tokens`, { name: 'Dashboard' });
  return token;
};

/** Creates one credential of each kind. */
const createCredentials = async ({ url, runtime }: Cloud) => {
  const home = await createHome(await adminOf(url), 'willow', ALL_PERMISSIONS);
  const sensor = await linkSensor(home.client);
  const { sessions, resets } = store(runtime.table);
  const { userId: accountId, customerId, username } = home;
  const accountKey = (await sessions.accountKeyOf(usernameKey(username))) ?? '';
  const expires = runtime.now() + 60_000;
  const reset = { accountId, customerId, username, accountKey, epoch: 0, mailbox: 0, expires };
  await resets.create(hashSecret('a-code'), { ...reset, createDate: runtime.now() });
  return { home, sensor, reset, session: home.client.token, token: await createToken(home.client, home.userId) };
};

const me = async (client: Client) => (await client.call('GET', '/users/me')).status;
const confirm = async (code: string) =>
  (await anybody.call('POST', '/users/password-reset/confirm', { code, newPassword: 'a-password-after-it' })).status;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'credentials-test-'));
  const first = await startTestCloud({ dataDir });
  before = await createCredentials(first);
  const { session, token } = before;
  for (const credential of [session, token])
    expect([credential, await me(clientOf(first.url, credential))]).toEqual([credential, 200]);
  await first.stop();
  const CREDENTIALS_SINCE = new Date(Date.now() + 1).toISOString();
  restored = await startTestCloud({ dataDir, environment: { CREDENTIALS_SINCE } });
  anybody = clientOf(restored.url);
});
afterAll(async () => {
  await restored.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test.each(['session', 'token'] as const)('rejects a %s created before credentialsSince', async (name) => {
  expect(await me(anybody.as(before[name]))).toBe(401);
  const cookie = { cookie: `PSAUTHTOKEN=${before[name]}` };
  expect((await anybody.call('GET', '/users/me', undefined, cookie)).status).toBe(401);
});

test('accepts a new session token despite an outdated session cookie', async () => {
  const { home, session } = before;
  const { token } = await logIn(anybody, home.username, home.password);
  const headers = { authorization: `Bearer ${token}`, cookie: `PSAUTHTOKEN=${session}` };
  expect((await anybody.call('POST', '/bots', { name: 'Nurse call' }, headers)).status).toBe(201);
});

test('credentialsSince does not affect newer sessions or any device tokens', async () => {
  const { home, sensor } = before;
  const client = await logIn(anybody, home.username, home.password);
  expect(await me(client)).toBe(200);
  expect(await me(anybody.as(await createToken(client, home.userId)))).toBe(200);
  const device = anybody.as(sensor.deviceToken);
  expect((await device.call('GET', `/devices/${sensor.sensorId}/config`)).status).not.toBe(401);
});

test('rejects only reset codes created before credentialsSince', async () => {
  expect(await confirm('a-code')).toBe(401);
  const { resets } = store(restored.runtime.table);
  await resets.create(hashSecret('a-new-code'), { ...before.reset, createDate: Date.now() });
  expect(await confirm('a-new-code')).toBe(200);
});
