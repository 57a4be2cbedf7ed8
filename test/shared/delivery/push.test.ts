import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pushKeysFrom } from '#shared/auth/push-keys.ts';
import type { Notification } from '#shared/delivery/targets/person.ts';
import { type PersonServices, personSenderFor } from '#shared/delivery/targets/person-sender.ts';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { type Channel, channelKinds } from '#shared/domain/people/channel.ts';
import { createPushBrowser } from '#test/fixtures/push-browser.ts';
import { startPushService } from '#test/fixtures/push-service.ts';

let service: Awaited<ReturnType<typeof startPushService>>;
beforeAll(async () => {
  service = await startPushService();
});
afterEach(() => {
  service.pushed.length = 0;
  service.answerWith({ status: 201 });
});
afterAll(() => service.stop());

// The stage allows webhooks to private addresses, but pushes may go only to public addresses.
const stage = {
  ALLOW_PRIVATE_TARGETS: true,
  ALLOWED_TARGET_RANGES: ['127.0.0.1/32'],
  DELIVERY_DEADLINE_SECONDS: 1,
  PUBLIC_URL: 'https://cloud.example.org',
  OWN_URLS: [],
  CANARY: false,
  MAIL_SENDER: 'outbox',
  PUSH_CONTACT: '',
  CHANNEL_KINDS: channelKinds,
};
const NOW = Date.parse('2026-11-28T03:08:00Z');
const sender = (more: Partial<typeof stage> = {}, network: object = service.network) => {
  const settings = { ...stage, ...more };
  const client = createWebhookClient(settings, network);
  const services: PersonServices = {
    settings,
    mail: async () => {},
    webhookClient: async () => client,
    openPushKey: async (encrypted) => encrypted.replace('encrypted:', ''),
    now: () => NOW,
  };
  return personSenderFor(services);
};
const notification: Notification = {
  title: 'Fall in room 7',
  text: 'at home, 12:00 UTC',
  url: 'https://cloud.example.org/acknowledge/a',
  language: 'en',
  tag: 'hit-7',
};
const { keys, read } = createPushBrowser();
const own = pushKeysFrom(Buffer.alloc(32, 9));
const key = { publicKey: own.publicKey, sealed: `encrypted:${own.privateKey}` };
const channelTo = (endpoint: string): Channel => ({ by: 'push', subscription: { endpoint, keys }, key });
const browser = () => channelTo(`${service.origin}/to/1`);

/** Verifies a push signature with the stage key, and returns the claims. */
const claimsIn = async (authorization = '') => {
  const [, token = '', publicKey] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
  expect([publicKey, decodeProtectedHeader(token).alg]).toEqual([own.publicKey, 'ES256']);
  const point = Buffer.from(own.publicKey, 'base64url');
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const jwk = await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256');
  return (await jwtVerify(token, jwk)).payload;
};

test('a push message is encrypted for its browser, signed, and expires after ten minutes', async () => {
  expect(await sender()(browser(), notification)).toBe('accepted');
  const [push] = service.pushed;
  expect(push?.url).toBe('/to/1');
  expect(read(push?.body ?? Buffer.alloc(0))).toEqual(notification);
  expect(String(push?.body)).not.toContain('room 7');
  expect(push?.headers).toMatchObject({ ttl: '600', urgency: 'high', 'content-encoding': 'aes128gcm' });
  expect(await claimsIn(push?.headers.authorization)).toMatchObject({
    aud: service.origin,
    sub: 'https://cloud.example.org',
  });
});

test("a push message contains the stage's contact", async () => {
  await sender({ PUSH_CONTACT: 'mailto:ops@example.org' })(browser(), notification);
  await sender({ MAIL_SENDER: 'cloud@example.org' })(browser(), notification);
  const claims = await Promise.all(service.pushed.map(({ headers }) => claimsIn(headers.authorization)));
  expect(claims.map(({ sub }) => sub)).toEqual(['mailto:ops@example.org', 'mailto:cloud@example.org']);
});

test('a push message is truncated to the size that push services accept', async () => {
  const long = { ...notification, title: '😀'.repeat(512), text: '😀'.repeat(2_048) };
  expect(await sender()(browser(), long)).toBe('accepted');
  const body = service.pushed[0]?.body ?? Buffer.alloc(0);
  expect(body.length).toBeLessThanOrEqual(4_096);
  expect(read(body)).toMatchObject({ url: notification.url, text: expect.stringMatching(/^(😀){100,}…$/u) });
});

test.each([
  [{ status: 200 }, 'accepted'],
  [{ status: 201 }, 'accepted'],
  [
    { status: 300, body: 'elsewhere' },
    { retry: 'status_300', answer: 'elsewhere' },
  ],
  [
    { status: 405, body: 'no' },
    { retry: 'status_405', answer: 'no' },
  ],
  [
    { status: 411, body: 'no' },
    { retry: 'status_411', answer: 'no' },
  ],
  [
    { status: 403, body: '{"reason":"BadJwtToken"}' },
    { retry: 'status_403', answer: '{"reason":"BadJwtToken"}' },
  ],
  [
    { status: 404, body: 'push subscription not found' },
    { refused: 'gone', answer: 'push subscription not found' },
  ],
  [
    { status: 410, body: '{"reason":"Unregistered"}' },
    { refused: 'gone', answer: '{"reason":"Unregistered"}' },
  ],
  [
    { status: 413, body: 'x'.repeat(300) },
    { retry: 'status_413', answer: 'x'.repeat(200) },
  ],
  [
    { status: 429, headers: { 'retry-after': '1' } },
    { retry: 'status_429', answer: '', afterSeconds: 1 },
  ],
  [
    { status: 429, headers: { 'retry-after': '90' } },
    { retry: 'status_429', answer: '', afterSeconds: 90 },
  ],
  [
    { status: 503, headers: { 'retry-after': new Date(NOW + 30_000).toUTCString() }, body: 'busy' },
    { retry: 'status_503', answer: 'busy', afterSeconds: 30 },
  ],
  [
    { status: 302, headers: { location: '/' } },
    { retry: 'status_302', answer: '' },
  ],
  ['never', { retry: 'timeout', answer: '' }],
] as const)('a push message with response %j ends as %j', async (answer, outcome) => {
  service.answerWith(answer);
  expect(await sender()(browser(), notification)).toEqual(outcome);
});

test('a push service response is stored without the endpoint', async () => {
  service.answerWith({ status: 400, body: `invalid: ${service.origin}/to/1` });
  expect(await sender()(browser(), notification)).toEqual({ retry: 'status_400', answer: 'invalid: ' });
});

test.each([
  ['http', 'http://receiver.test:8080/1', {}],
  ['loopback', 'https://127.0.0.1:8443/1', {}],
  ['a private address', 'https://10.0.0.1/1', {}],
  ['a metadata service', 'https://169.254.169.254/', {}],
  ['a local name', 'https://push.local/1', {}],
  ['a name that resolves to a private address', 'https://push.example.com/1', { resolve: async () => ['10.0.0.1'] }],
  ['a name that resolves to loopback', 'https://push.example.com/1', { resolve: async () => ['127.0.0.1'] }],
])('a push message never goes to %s, even if webhooks may', async (_, endpoint, network) => {
  const send = sender({}, { allowLoopback: true, ...network });
  expect(await send(channelTo(endpoint), notification)).toEqual({ refused: 'gone', answer: '' });
  expect(service.pushed).toEqual([]);
});

test('a push message that cannot be encrypted ends as unsigned and is retried', async () => {
  const subscription = { endpoint: service.origin, keys: { p256dh: 'B', auth: 'A' } };
  expect(await sender()({ by: 'push', key, subscription }, notification)).toEqual({ retry: 'unsigned' });
});
