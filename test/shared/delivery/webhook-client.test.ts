import { describe, expect, test } from 'vitest';
import { createWebhookClient } from '#shared/delivery/webhook-client.ts';
import { canaryUrl } from '#shared/domain/canary.ts';
import { SLOTS_PER_WEBHOOK } from '#shared/domain/delivery/breaker.ts';

const stage = {
  ALLOW_PRIVATE_TARGETS: true,
  ALLOWED_TARGET_RANGES: ['127.0.0.5/32'],
  DELIVERY_DEADLINE_SECONDS: 1,
  PUBLIC_URL: 'https://cloud.example.org',
  OWN_URLS: ['https://a1.execute-api.example.com'],
  CANARY: false,
};
/** Names that resolve to the address they contain. Others do not resolve, so no connection is made. */
const resolve = async (name: string) =>
  name.startsWith('at-') ? [name.slice(3).replaceAll('-', '.').replace('.test', '')] : [];
type Options = Parameters<typeof createWebhookClient>[1];
const client = (options: Options = {}, more: Partial<typeof stage> = {}) =>
  createWebhookClient({ ...stage, ...more }, { resolve, ...options });
const reasonOf = async (
  url: string,
  options: Options = {},
  more: Partial<typeof stage> = {},
  isPublicOnly?: boolean,
) => {
  const checked = await client(options, more).check(url, isPublicOnly === undefined ? {} : { isPublicOnly });
  return checked.ok || checked.reason;
};
const errorOf = async (
  url: string,
  options: Options = {},
  more: Partial<typeof stage> = {},
  reach: { isPublicOnly?: boolean; isLoopbackDenied?: boolean } = {},
) => (await client(options, more).post({ url, headers: {}, body: '', ...reach })).error;
/** A name that does not resolve. A request that fails on it has passed all earlier checks. */
const unknown = 'https://unknown.example/';
const [loopback, named, local] = ['http://127.0.0.1:9/', 'http://127.0.0.5:9/', 'http://at-10-0-0-1.test/'];

test('a stage that allows private URLs still rejects service and loopback URLs', async () => {
  expect(await reasonOf(local)).toBe(true);
  expect(await reasonOf(local, {}, { ALLOW_PRIVATE_TARGETS: false })).toBe('url_scheme');
  expect(await reasonOf('https://at-10-0-0-1.test/', {}, { ALLOW_PRIVATE_TARGETS: false })).toBe('url_address');
  expect(await reasonOf(loopback)).toBe('url_address');
  for (const own of ['https://cloud.example.org/x', 'https://a1.execute-api.example.com/'])
    expect(await reasonOf(own), own).toBe('url_address');
});

test('a loopback URL can be saved if the host allows it', async () => {
  expect(await reasonOf(loopback, { allowLoopback: true })).toBe(true);
  expect(await reasonOf(named, { allowLoopback: true })).toBe(true);
});

test('a loopback URL can be saved on a shared host only if the stage names it', async () => {
  const options = { allowLoopback: 'named' as const };
  expect(await reasonOf(loopback, options)).toBe('url_loopback');
  expect(await reasonOf(named, options)).toBe(true);
  expect(await reasonOf(unknown, options)).toBe(true);
  expect(await reasonOf('nonsense', options)).toBe('url_invalid');
  expect(await reasonOf('https://169.254.169.254/', options)).toBe('url_address');
});

test('a push service URL has to be public', async () => {
  const options = { allowLoopback: true };
  expect(await reasonOf(local, options, {}, true)).toBe('url_scheme');
  expect(await reasonOf('https://at-10-0-0-1.test/', options, {}, true)).toBe('url_address');
  expect(await reasonOf('https://127.0.0.5:9001/', options, {}, true)).toBe('url_address');
  expect(await reasonOf('https://at-8-8-8-8.test/', options, {}, true)).toBe(true);
  expect(await reasonOf('https://127.0.0.5:9001/', { publicRanges: ['127.0.0.5/32'] }, {}, true)).toBe(true);
});

describe('request checks', () => {
  test("a request has to pass the stage's checks", async () => {
    expect(await errorOf(unknown)).toBe('dns_failed');
    expect(await errorOf(loopback)).toBe('address_denied');
    expect(await errorOf('https://cloud.example.org/')).toBe('address_denied');
    expect(await errorOf('http://unknown.example/', {}, { ALLOW_PRIVATE_TARGETS: false })).toBe('url_denied');
  });

  test('an old webhook can call any loopback address, but a new one only those that the stage names', async () => {
    const options = { allowLoopback: 'named' as const };
    expect(await errorOf(loopback, options)).toBe('connect_refused');
    expect(await errorOf(loopback, options, {}, { isLoopbackDenied: true })).toBe('address_denied');
    expect(await errorOf(named, options, {}, { isLoopbackDenied: true })).toBe('connect_refused');
    expect(await errorOf(loopback, { allowLoopback: true }, {}, { isLoopbackDenied: true })).toBe('connect_refused');
  });

  test('a push service request can reach only public addresses, even if the stage allows more', async () => {
    const reach = { isPublicOnly: true };
    expect(await errorOf('http://unknown.example/', { allowLoopback: true }, {}, reach)).toBe('url_denied');
    expect(await errorOf('https://127.0.0.5:9001/', { allowLoopback: true }, {}, reach)).toBe('address_denied');
    expect(await errorOf('https://at-127-0-0-5.test/', { allowLoopback: 'named' }, {}, reach)).toBe('address_denied');
    expect(await errorOf(unknown, {}, {}, reach)).toBe('dns_failed');
  });

  test('a canary request can reach the service only at the canary URL', async () => {
    const canary = canaryUrl(stage.PUBLIC_URL);
    expect(await errorOf(canary, {}, { CANARY: true })).toBe('dns_failed');
    expect(await errorOf(`${canary}?`, {}, { CANARY: true })).toBe('address_denied');
    expect(await errorOf(canary)).toBe('address_denied');
    const onPremises = { CANARY: true, PUBLIC_URL: 'http://127.0.0.1:9' };
    expect(await errorOf(canaryUrl(onPremises.PUBLIC_URL), { allowLoopback: true }, onPremises)).toBe(
      'connect_refused',
    );
    expect(await errorOf(canary, {}, { CANARY: true }, { isPublicOnly: true })).toBe('address_denied');
  });

  test("a request ends at the stage's deadline", async () => {
    const { post } = client({ resolve: () => new Promise(() => {}) }, { DELIVERY_DEADLINE_SECONDS: 0.05 });
    expect(await post({ url: unknown, headers: {}, body: '' })).toMatchObject({ error: 'timeout' });
  });
});

test('each process limits a webhook to five permits that share state', async () => {
  const { acquire } = client();
  const get = (key: string) => acquire(key, async () => {});
  const permits = await Promise.all(Array.from({ length: SLOTS_PER_WEBHOOK }, () => get('w')));
  expect(SLOTS_PER_WEBHOOK).toBe(5);
  expect(await get('w')).toBe(null);
  expect(permits[0]?.shared).toEqual({ hasUnleasedRequest: false, idleLeases: [], searches: 0, waiters: new Set() });
  expect(permits[4]?.shared).toBe(permits[0]?.shared);
  expect((await get('other'))?.shared).not.toBe(permits[0]?.shared);
});
