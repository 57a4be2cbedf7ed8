import { createHook } from 'node:async_hooks';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '#shared/delivery/connect.ts';
import { endpointsOf } from '#shared/delivery/own-endpoints.ts';
import { checkTarget, type Resolve, type TargetPolicy, type UrlProblem } from '#shared/delivery/url-policy.ts';

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
const to = (host: string) => `https://${host}/hook`;
const unasked: Resolve = () => Promise.reject(new Error('nobody may ask for this name'));
const answer =
  (...found: string[]): Resolve =>
  async () =>
    found;

/** Refused at creation, and never connected to. */
const expectRefused = async (url: string, policy: TargetPolicy, resolve: Resolve, reason: UrlProblem) => {
  expect(await checkTarget(url, policy, resolve), url).toEqual({ ok: false, reason });
  const client = createClient({ deadlineMs: 15_000, policy, resolve });
  const error = reason === 'url_address' ? 'address_denied' : 'url_denied';
  expect(await client.post({ url, headers: {}, body: '' }), url).toMatchObject({ status: null, error });
  client.close();
  expect(connections, url).toBe(0);
};

describe('the endpoints of the service itself', () => {
  const gateway = 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';
  const own = endpointsOf(['', 'http://127.0.0.1:3000', 'https://Cloud.Example.com', `https://${gateway}/prod`]);
  const local = { allowPrivate: true, allowedRanges: [], allowLoopback: true, own };
  const named = ['cloud.example.com', 'CLOUD.example.com.', 'cloud.example.com:8443', 'cl%6fud.example.com', gateway];
  const numbers = hosts(`
    127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f.1 0177.0.0.1 127.0.0.2 127.255.255.254 [::1] [0:0:0:0:0:0:0:1] localhost
    LOCALHOST. a.localhost １２７.０.０.１ %31%32%37.0.0.1
  `);

  it.each([...named.map(to), ...numbers.map((host) => `http://${host}:3000/api/v1/users/login`)])(
    'are no targets under any policy: %s',
    (url) => expectRefused(url, local, unasked, 'url_address'),
  );

  it.each(named.map(to))('are no targets in the cloud either: %s', (url) =>
    expectRefused(url, { allowPrivate: false, allowedRanges: [], own }, unasked, 'url_address'),
  );

  it.each([['127.0.0.1'], ['::1'], ['127.0.0.9'], ['8.8.8.8', '127.0.0.1']])(
    'are no targets by a name that resolves to %j',
    (...found) => expectRefused('http://receiver.example.com:3000/', local, answer(...found), 'url_address'),
  );

  it.each([
    'http://127.0.0.1:3001/',
    'http://localhost/',
    'http://[::1]:30000/',
    'http://10.0.0.1:3000/',
    'https://other.example.com:3000/',
    'https://cloud.example.com.example.org/',
    'https://b1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/prod',
  ])('leave their neighbours alone: %s', async (url) => {
    expect(await checkTarget(url, local, answer('10.0.0.1'))).toMatchObject({ ok: true });
  });
});

describe('where the host is not the own machine', () => {
  const policies = [
    { allowPrivate: true, allowedRanges: [] },
    { allowPrivate: true, allowedRanges: ['127.0.0.0/8', '0.0.0.0/0', '::/0', '::1'] },
    { allowPrivate: false, allowedRanges: ['127.0.0.0/8', '127.0.0.1', '::1/128'] },
  ];
  const numbers = hosts('127.0.0.1 127.1 2130706433 127.255.255.254 [::1]');

  it.each(policies)('loopback is no target, whatever is allowed: %j', async (policy) => {
    for (const host of numbers) await expectRefused(`https://${host}:9001/`, policy, unasked, 'url_address');
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost'])
      await expectRefused(`https://${host}:9001/`, policy, unasked, 'url_host');
    for (const found of [['127.0.0.1'], ['::1'], ['10.0.0.1', '127.0.0.1']])
      await expectRefused('https://receiver.example.com/', policy, answer(...found), 'url_address');
  });
});
