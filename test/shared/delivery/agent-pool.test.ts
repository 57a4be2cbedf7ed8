import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { describe, expect, test } from 'vitest';
import { leaseAgent, type Pool } from '#shared/delivery/agent-pool.ts';

const options = { policy: { allowPrivate: true, allowedRanges: [] }, agentOptions: {} };
const urlOf = (number: number) => new URL(`https://r${number}.test/hook`);
const lease = (pool: Pool, url: URL, agentOptions: object = {}) => leaseAgent(pool, url, { ...options, agentOptions });
/** The settings shared by an agent's connections. */
const settingsOf = (agent: HttpAgent) => (agent as HttpAgent & { options: Record<string, unknown> }).options;
/** A pool with idle agents for this many origins. */
const filled = (count: number) => {
  const pool: Pool = new Map();
  for (let number = 0; number < count; number += 1) lease(pool, urlOf(number)).busy -= 1;
  return pool;
};
const originOf = (number: number) => urlOf(number).origin;

test('all requests to an origin share one agent', () => {
  const pool: Pool = new Map();
  const first = lease(pool, urlOf(1));
  expect(lease(pool, new URL('/other', urlOf(1)))).toBe(first);
  expect(first.busy).toBe(2);
  expect(lease(pool, urlOf(2)).agent).not.toBe(first.agent);
  expect(lease(pool, new URL('https://r1.test:8443/')).agent).not.toBe(first.agent);
  expect(lease(pool, new URL('http://r1.test/')).agent).not.toBe(first.agent);
});

test('an agent keeps up to 100 idle connections open for 30 s', () => {
  const { agent } = lease(new Map(), urlOf(1));
  expect(agent).toBeInstanceOf(HttpsAgent);
  expect(lease(new Map(), new URL('http://r1.test/')).agent).toBeInstanceOf(HttpAgent);
  expect(agent.maxFreeSockets).toBe(100);
  expect(settingsOf(agent)).toMatchObject({
    keepAlive: true,
    timeout: 30_000,
    autoSelectFamilyAttemptTimeout: 1_000,
  });
});

test('agent settings cannot turn off certificate verification', () => {
  const { agent } = lease(new Map(), urlOf(1), { timeout: 5, rejectUnauthorized: false });
  expect(settingsOf(agent)).toMatchObject({ timeout: 5, rejectUnauthorized: true });
});

test.each([
  ['https://receiver.test/', 'receiver.test'],
  ['https://receiver.test./', 'receiver.test'],
  ['https://a.b.receiver.test/', 'a.b.receiver.test'],
  ['https://192.0.2.1/', ''],
  ['https://[2001:db8::1]/', ''],
])('the TLS server name is sent only for an origin with a host name: %s', (url, name) => {
  expect(settingsOf(lease(new Map(), new URL(url)).agent)).toMatchObject({ servername: name });
});

describe('agent pool', () => {
  test('a pool has at most 50 idle agents and evicts the least recently used one first', () => {
    const pool = filled(50);
    expect(pool.size).toBe(50);
    lease(pool, urlOf(0)).busy -= 1;
    lease(pool, urlOf(99));
    expect(pool.size).toBe(50);
    expect([0, 1, 2, 99].map((number) => pool.has(originOf(number)))).toEqual([true, false, true, true]);
  });

  test('a pool never evicts an agent in use', () => {
    const pool = filled(50);
    const used = pool.get(originOf(0));
    if (used) used.busy += 1;
    lease(pool, urlOf(99));
    expect([0, 1].map((number) => pool.has(originOf(number)))).toEqual([true, false]);
  });
});
