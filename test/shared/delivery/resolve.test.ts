import { createHook } from 'node:async_hooks';
import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createResolver, parseHosts } from '#shared/delivery/resolve.ts';
import { startNameServer } from '#test/fixtures/name-server.ts';

let threads = 0;
const hook = createHook({
  init(_id, type) {
    if (type === 'GETADDRINFOREQWRAP') threads += 1;
  },
}).enable();

let server: Awaited<ReturnType<typeof startNameServer>>;
beforeAll(async () => {
  server = await startNameServer((name) =>
    name.startsWith('slow') ? null : name === 'quick.test' ? '192.0.2.1' : undefined,
  );
});
afterAll(async () => {
  hook.disable();
  await server.stop();
});

describe('name resolution', () => {
  test('a name resolves quickly even while many others wait for a slow name server', async () => {
    const resolve = createResolver([server.at]);
    const slow = Array.from({ length: 40 }, (_, at) => resolve(`slow${at}.test`));
    const ended = vi.fn();
    void Promise.race(slow).then(ended);
    expect(await resolve('quick.test')).toEqual(['192.0.2.1']);
    await lookup('localhost');
    expect(ended).not.toHaveBeenCalled();
    expect(server.asked.filter((name) => name.startsWith('slow')).length).toBeGreaterThanOrEqual(40);
  });

  test('only resolving a local name blocks a thread', async () => {
    threads = 0;
    await createResolver([server.at])('quick.test');
    expect(threads).toBe(0);
    await createResolver([server.at])('intranet').catch(() => []);
    expect(threads).toBe(1);
  });

  test('an unknown name resolves to no addresses', async () => {
    expect(await createResolver([server.at])('nobody.test')).toEqual([]);
  });

  test('a name that is local or in the hosts file never reaches a public name server', async () => {
    const before = server.asked.length;
    const resolve = createResolver([server.at]);
    for (const address of await resolve('LOCALHOST.')) expect(['127.0.0.1', '::1']).toContain(address);
    for (const name of ['intranet', 'nurse-call.local', 'a.internal', 'b.localhost'])
      await resolve(name).catch(() => []);
    expect(server.asked.length).toBe(before);
  });
});

test('parseHosts returns addresses by lower-case name, skipping comments and invalid lines', () => {
  const text = '# 10.0.0.1 no\n127.0.0.1\tlocalhost\tHere # there\n::1 localhost\n\nnonsense here\n10.0.0.9   a.b ';
  expect(Object.fromEntries(parseHosts(text))).toEqual({
    localhost: ['127.0.0.1', '::1'],
    here: ['127.0.0.1'],
    'a.b': ['10.0.0.9'],
  });
});
