import { createECDH } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import type { CloudOptions } from '#lib/local/cloud-options.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { PUSH_KEY_CONTEXT } from '#shared/domain/people/channel.ts';
import { store } from '#shared/store/store.ts';
import type { Answer, Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';
import { createPushBrowser } from '#test/fixtures/push-browser.ts';
import { startPushService } from '#test/fixtures/push-service.ts';

let cloud: Cloud;
let other: Cloud;
let service: Awaited<ReturnType<typeof startPushService>>;
let client: Client;
let anybody: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  service = await startPushService();
  const environment = { PUSH_CONTACT: 'mailto:push@example.org' };
  const wrap: CloudOptions['wrap'] = (runtime) => {
    const webhookClient = createWebhookClient(runtime.settings, service.network);
    return { ...runtime, webhookClient: async () => webhookClient };
  };
  [cloud, other] = await Promise.all([startTestCloud({ environment, wrap }), startTestCloud({ environment })]);
  home = await createHome(await adminOf(cloud.url), 'home', []);
  client = home.client;
  anybody = await adminOf(other.url);
});
afterAll(() => Promise.all([cloud.stop(), other.stop(), service.stop()]));

const { keys } = createPushBrowser();
const subscribe = (who: Client, subscription: unknown): Promise<Answer> =>
  who.call('PUT', '/users/me/channels/push', { subscription });
const pathsOf = ({ body }: Answer) => (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

test('subscribing to push does not require a code', async () => {
  const { host } = new URL(service.origin);
  const answer = await subscribe(client, { endpoint: `${service.origin}/secret`, keys });
  expect(answer.body).toMatchObject({ by: 'push', address: host, provenDate: expect.any(Number) });
  const shown = await client.call('GET', '/users/me/channels');
  expect(shown.body).toEqual([answer.body]);
  expect((await client.call('POST', '/users/me/channels/push/proof', { code: '123456' })).status).toBe(400);
});

test('the service creates a single push key for all browsers', async () => {
  const requests = Array.from({ length: 20 }, () => client.ok<{ pushKey: string }>('GET', '/channels'));
  const found = new Set((await Promise.all(requests)).map(({ pushKey }) => pushKey));
  const [publicKey, ...others] = found;
  expect([Buffer.from(publicKey ?? '', 'base64url').length, others]).toEqual([65, []]);
  const kept = await store(cloud.runtime.table).pushKeys.get();
  expect(kept).toMatchObject({ publicKey });
  const vault = await cloud.runtime.vault();
  const decrypted = createECDH('prime256v1');
  decrypted.setPrivateKey(await vault.open(kept?.sealed ?? '', PUSH_KEY_CONTEXT), 'base64url');
  expect(decrypted.getPublicKey('base64url')).toBe(publicKey);
  await expect(vault.open(kept?.sealed ?? '', 'another')).rejects.toThrow();
});

test('a push subscription is stored with the key used to send to it', async () => {
  const endpoint = `${service.origin}/1`;
  await client.ok('GET', '/channels');
  await subscribe(client, { endpoint, keys });
  const proven = await store(cloud.runtime.table).channels.verifiedOf(home);
  expect(proven).toEqual([
    {
      by: 'push',
      subscription: { endpoint, keys },
      key: { publicKey: expect.any(String), sealed: expect.any(String) },
    },
  ]);
});

// On this host, webhooks may also call private addresses and use plain HTTP.
describe('a push subscription', () => {
  test.each([
    'https://127.0.0.1/push',
    'https://[::1]/push',
    'https://10.0.0.1/push',
    'https://192.168.1.1/push',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:169.254.169.254]/',
    'https://0x7f000001/push',
    'https://localhost/push',
    'https://metadata.google.internal/',
    'http://push.example.com/1',
    'https://a:b@push.example.com/1',
    'https://push.example.com/#1',
    'https://push.example.com:22/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    `https://push.example.com/${'a'.repeat(2_048)}`,
    '\ud800',
    '',
  ])('returns 400 for a push subscription to the endpoint %s', async (endpoint) => {
    const answer = await subscribe(anybody, { endpoint, keys });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['subscription.endpoint']]);
  });

  test("returns 400 for a push subscription to the service's own URL", async () => {
    const answer = await subscribe(client, { endpoint: `${cloud.url}/users`, keys });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['subscription.endpoint']]);
  });
});

test('push is unavailable in a stage without a contact for push services', async () => {
  const lonely = await startTestCloud({ hasOutbox: false });
  const admin = await adminOf(lonely.url);
  expect((await admin.ok<{ kinds: string[] }>('GET', '/channels')).kinds).not.toContain('push');
  expect((await subscribe(admin, { endpoint: 'https://push.example.com/1', keys })).status).toBe(400);
  await lonely.stop();
});

test('returns 400 for a push subscription whose keys are invalid', async () => {
  const offCurve = `B${'A'.repeat(85)}B`;
  const wrong = [
    { ...keys, p256dh: offCurve },
    { ...keys, p256dh: keys.p256dh.slice(1) },
    { ...keys, p256dh: `${keys.p256dh}=` },
    { ...keys, auth: '' },
    { ...keys, auth: 'A'.repeat(23) },
    { p256dh: keys.p256dh },
    {},
    null,
    [],
  ];
  for (const keys of wrong) {
    const answer = await subscribe(client, { endpoint: service.origin, keys });
    expect([keys, answer.status]).toEqual([keys, 400]);
  }
  for (const subscription of [null, 7, 'x', [], { keys }, { endpoint: service.origin }])
    expect((await subscribe(client, subscription)).status).toBe(400);
});
