import { createHook } from 'node:async_hooks';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '#shared/delivery/http-client.ts';
import { hostOf, isLoopback, isOwnEndpoint, ownEndpoints, portOf } from '#shared/delivery/own-endpoints.ts';
import { checkTarget, type ResolveName, type TargetPolicy, type UrlProblem } from '#shared/delivery/url-policy.ts';

let connections = 0;
const hook = createHook({
  init(_id, type) {
    if (type === 'TCPCONNECTWRAP') connections += 1;
  },
}).enable();
afterAll(() => hook.disable());
beforeEach(() => {
  connections = 0;
});

const hosts = (list: string) => list.trim().split(/\s+/);
const urlOf = (host: string) => `https://${host}/hook`;
const noLookup: ResolveName = () => Promise.reject(new Error('this name must not be looked up'));
const resolvesTo =
  (...resolved: string[]): ResolveName =>
  async () =>
    resolved;

/** Expects a URL to be rejected at creation and never connected to. */
const expectDenied = async (url: string, policy: TargetPolicy, resolve: ResolveName, reason: UrlProblem) => {
  expect(await checkTarget(url, policy, resolve), url).toEqual({ ok: false, reason });
  const client = createHttpClient({ deadlineMs: 15_000, policy, resolve });
  const error = reason === 'url_address' ? 'address_denied' : 'url_denied';
  expect(await client.post({ url, headers: {}, body: '' }), url).toMatchObject({ status: null, error });
  client.close();
  expect(connections, url).toBe(0);
};

describe('own endpoints', () => {
  const gateway = 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';
  const own = ownEndpoints(['', 'http://127.0.0.1:3000', 'https://Cloud.Example.com', `https://${gateway}/prod`]);
  const local = { allowPrivate: true, allowedRanges: [], allowLoopback: true, own };
  const named = ['cloud.example.com', 'CLOUD.example.com.', 'cloud.example.com:8443', 'cl%6fud.example.com', gateway];
  const numbers = hosts(`
    127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f.1 0177.0.0.1 127.0.0.2 127.255.255.254 [::1] [0:0:0:0:0:0:0:1] localhost
    LOCALHOST. a.localhost １２７.０.０.１ %31%32%37.0.0.1
  `);

  it.each([...named.map(urlOf), ...numbers.map((host) => `http://${host}:3000/api/v1/users/login`)])(
    'service endpoints cannot be targets under any policy: %s',
    (url) => expectDenied(url, local, noLookup, 'url_address'),
  );

  it.each(named.map(urlOf))('service endpoints cannot be targets in the cloud: %s', (url) =>
    expectDenied(url, { allowPrivate: false, allowedRanges: [], own }, noLookup, 'url_address'),
  );

  it.each([['127.0.0.1'], ['::1'], ['127.0.0.9'], ['8.8.8.8', '127.0.0.1']])(
    'service endpoints cannot be targeted through a name that resolves to %j',
    (...resolved) => expectDenied('http://receiver.example.com:3000/', local, resolvesTo(...resolved), 'url_address'),
  );

  it.each([
    'http://127.0.0.1:3001/',
    'http://localhost/',
    'http://[::1]:30000/',
    'http://10.0.0.1:3000/',
    'https://other.example.com:3000/',
    'https://cloud.example.com.example.org/',
    'https://b1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/prod',
  ])('targets on other hosts and ports are allowed: %s', async (url) => {
    expect(await checkTarget(url, local, resolvesTo('10.0.0.1'))).toMatchObject({ ok: true });
  });
});

describe('loopback targets outside developer machines', () => {
  const policies = [
    { allowPrivate: true, allowedRanges: [] },
    { allowPrivate: true, allowedRanges: ['127.0.0.0/8', '0.0.0.0/0', '::/0', '::1'] },
    { allowPrivate: false, allowedRanges: ['127.0.0.0/8', '127.0.0.1', '::1/128'] },
  ];
  const numbers = hosts('127.0.0.1 127.1 2130706433 127.255.255.254 [::1]');

  it.each(policies)('a loopback address cannot be a target, even under the policy %j', async (policy) => {
    for (const host of numbers) await expectDenied(`https://${host}:9001/`, policy, noLookup, 'url_address');
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost'])
      await expectDenied(`https://${host}:9001/`, policy, noLookup, 'url_host');
    for (const resolved of [['127.0.0.1'], ['::1'], ['10.0.0.1', '127.0.0.1']])
      await expectDenied('https://receiver.example.com/', policy, resolvesTo(...resolved), 'url_address');
  });
});

describe('URL parsing', () => {
  it.each([
    ['https://example.com/', 'example.com', 443],
    ['http://example.com/', 'example.com', 80],
    ['http://example.com:3000/', 'example.com', 3_000],
    ['https://[2001:db8::1]:8443/', '2001:db8::1', 8_443],
  ])('a URL is parsed into host and port: %s', (url, host, port) => {
    expect([hostOf(new URL(url)), portOf(new URL(url))]).toEqual([host, port]);
  });

  it.each([
    ['https://Cloud.Example.com/console', { host: 'cloud.example.com', port: null }],
    ['https://cloud.example.com./', { host: 'cloud.example.com', port: null }],
    ['https://cloud.example.com:8443', { host: 'cloud.example.com', port: 8_443 }],
    ['http://192.168.1.5', { host: '192.168.1.5', port: 80 }],
    ['https://[2001:db8::1]', { host: '2001:db8::1', port: 443 }],
    ['http://localhost', { host: 'localhost', port: 80 }],
    ['https://cloud.localhost', { host: 'cloud.localhost', port: 443 }],
  ])('a service URL without a port, address or local name covers all ports: %s', (url, endpoint) => {
    expect(ownEndpoints(['', 'nonsense', url])).toEqual([endpoint]);
  });
});

describe('loopback hosts', () => {
  it.each(['localhost', 'a.localhost', 'ab.cd.localhost', '127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'])(
    'host %s always refers to the calling machine',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    'localhost.example',
    'mylocalhost',
    'my-localhost',
    '.localhost',
    '126.255.255.255',
    '128.0.0.1',
    '::2',
    '',
  ])('host %j refers to another machine', (host) => {
    expect(isLoopback(host)).toBe(false);
  });

  it('a host is a service endpoint only on the right port, in any loopback notation', () => {
    const own = ownEndpoints(['http://127.0.0.1:3000', 'https://cloud.example.com']);
    for (const [host, port] of [
      ['127.0.0.1', 3_000],
      ['localhost', 3_000],
      ['::1', 3_000],
      ['cloud.example.com', 1],
      ['cloud.example.com.', 443],
    ] as const)
      expect(isOwnEndpoint(host, port, own), host).toBe(true);
    for (const [host, port] of [
      ['127.0.0.1', 3_001],
      ['10.0.0.1', 3_000],
      ['example.com', 443],
    ] as const)
      expect(isOwnEndpoint(host, port, own), host).toBe(false);
    expect(isOwnEndpoint('localhost', 80)).toBe(false);
  });
});
