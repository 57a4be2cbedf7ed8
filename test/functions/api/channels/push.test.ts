import { createECDH } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { PUSH_KEY_CONTEXT } from '#shared/domain/people/channel.ts';
import { store } from '#shared/store/store.ts';
import type { Answer, Client } from '#test/fixtures/client.ts';
import { startTestCloud } from '#test/fixtures/cloud.ts';
import { adminOf, createHome } from '#test/fixtures/home.ts';
import { createPushBrowser } from '#test/fixtures/push-browser.ts';

let cloud: Cloud;
let strict: Cloud;
let browser: Receiver;
let client: Client;
let anybody: Client;
let home: Awaited<ReturnType<typeof createHome>>;
beforeAll(async () => {
  [cloud, strict, browser] = await Promise.all([
    startTestCloud(),
    startTestCloud({ environment: { ALLOW_PRIVATE_TARGETS: 'false' } }),
    startReceiver(),
  ]);
  home = await createHome(await adminOf(cloud.url), 'home', []);
  client = home.client;
  anybody = await adminOf(strict.url);
});
afterAll(() => Promise.all([cloud.stop(), strict.stop(), browser.stop()]));

const { keys } = createPushBrowser();
const subscribe = (who: Client, subscription: unknown): Promise<Answer> =>
  who.call('PUT', '/users/me/channels/push', { subscription });
const pathsOf = ({ body }: Answer) => (body as { errors: { path: string }[] }).errors.map(({ path }) => path);

test('subscribes without a code, and returns only the host of the endpoint', async () => {
  const { host } = new URL(browser.url);
  const answer = await subscribe(client, { endpoint: `${browser.url}/secret`, keys });
  expect(answer.body).toMatchObject({ by: 'push', address: host, provenDate: expect.any(Number) });
  const shown = await client.call('GET', '/users/me/channels');
  expect(shown.body).toEqual([answer.body]);
  expect((await client.call('POST', '/users/me/channels/push/proof', { code: '123456' })).status).toBe(400);
});

test('creates one key for all browsers, and encrypts its private part', async () => {
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

test('stores a subscription with the key, for the worker that sends to it', async () => {
  const endpoint = `${browser.url}/1`;
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

describe('a subscription responds 400 to the endpoint', () => {
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
  ])('%s', async (endpoint) => {
    const answer = await subscribe(anybody, { endpoint, keys });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['subscription.endpoint']]);
  });

  test('the URL of the service itself', async () => {
    const answer = await subscribe(client, { endpoint: `${cloud.url}/users`, keys });
    expect([answer.status, pathsOf(answer)]).toEqual([400, ['subscription.endpoint']]);
  });
});

test('responds 400 to keys that no browser creates', async () => {
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
    const answer = await subscribe(client, { endpoint: browser.url, keys });
    expect([keys, answer.status]).toEqual([keys, 400]);
  }
  for (const subscription of [null, 7, 'x', [], { keys }, { endpoint: browser.url }])
    expect((await subscribe(client, subscription)).status).toBe(400);
});
