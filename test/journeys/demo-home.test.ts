import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, logIn } from '../fixtures/client.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { type Host, startHost } from '../fixtures/host.ts';

// As shipped: with the rate limit, the demo home and private targets.
const asShipped = [] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns a client with the demo user's token, as printed on startup. */
const demoOf = ({ url, lines }: Host): Client =>
  clientOf(url, lines.find((line) => line.includes('export TOKEN='))?.split('=')[1], true);
/** Returns what the demo printed about skipped parts. */
const skipped = ({ lines }: Host): string[] => lines.filter((line) => line.startsWith('demo: '));

type Hook = { id: string; url: string; format: string };
const hookOf = async (demo: Client): Promise<Hook> => {
  const [page] = await demo.ok<{ data: Hook[] }[]>('GET', '/webhooks');
  return page?.data[0] ?? expect.unreachable('the demo has no webhook');
};

describe('the demo home', () => {
  test('the demo home handles every webhook format, as well as malformed requests', async () => {
    await using host = await startHost({ DATA_DIR: join(folder, 'formats') }, asShipped);
    const demo = demoOf(host);
    const hook = await hookOf(demo);
    const post = (body: string, headers = {}) => fetch(hook.url, { method: 'POST', body, headers });
    for (const body of ['x', '', 'null', '[]', '{"event":7,"sensor":"a"}', '{"rule":{"title":{}}}'])
      expect([200, 400]).toContain((await post(body)).status);
    expect((await post('x', { 'content-type': 'text/plain', origin: 'https://elsewhere.example' })).status).toBe(400);
    for (const format of ['custom1', 'raw', 'full']) {
      // Custom 1 is possible because the demo has no rule that this format cannot express.
      await demo.ok('PUT', `/webhooks/${hook.id}`, { ...hook, format });
      const before = host.lines.filter((line) => line.startsWith('nurse call: ')).length;
      await demo.ok('POST', `/webhooks/${hook.id}/test`, {});
      await host.until(() => host.lines.filter((line) => line.startsWith('nurse call: ')).length > before);
    }
    expect(await demo.ok('GET', '/health')).toMatchObject({ status: 'OK', exceptions: 0 });
    expect(await host.end('SIGTERM')).toBe(0);
  });

  const checkSkipped = async (
    title: string,
    environment: Record<string, string>,
    messages: RegExp[],
  ): Promise<void> => {
    await using host = await startHost(
      { DATA_DIR: join(folder, title.replaceAll(/\W/g, '-')), ...environment },
      asShipped,
    );
    expect(skipped(host)).toEqual(messages.map((line) => expect.stringMatching(line)));
    expect((await fetch(`${host.url}/health`)).status).toBe(200);
    expect(await host.end('SIGTERM')).toBe(0);
  };

  test.each<[string, Record<string, string>, RegExp[]]>([
    [
      'its receivers if private targets are not allowed',
      { ALLOW_PRIVATE_TARGETS: 'false' },
      [/could not create the bots and webhooks.*: url is not an allowed address/],
    ],
    [
      'parts that exceed a quota',
      { QUOTAS: '{"sensors":1,"rules":2}' },
      [/sensor 02DE00000002: .*at most 1 sensors/, /sensor 02DE00000003/, /rule for empty_room: .*at most 2 rules/],
    ],
    [
      'everything if its username is taken',
      { ADMIN_USERNAME: 'demo' },
      [/could not create the demo home: the user demo belongs to no customer/],
    ],
  ])('the demo home skips and reports %s', checkSkipped);

  // Run concurrently, because both wait for seconds.
  test.concurrent.each<[string, Record<string, string>, RegExp[]]>([
    ['completely with a limit of five requests a second', { RATE_LIMIT_PER_SECOND: '5' }, []],
    ['in the background with a limit of one request a second', { RATE_LIMIT_PER_SECOND: '1' }, [/still being created/]],
  ])('the demo home appears %s', checkSkipped);

  type Change = (admin: Client, path: string, user: Record<string, unknown>) => Promise<unknown>;
  const access = (more: object) => ({ canLogin: true, isAdmin: false, permissions: [], ...more });
  test.each<[string, Change, RegExp[]]>([
    ['was deleted', (admin, path) => admin.ok('DELETE', path), []],
    [
      'is not allowed to log in',
      (admin, path) => admin.ok('PUT', `${path}/access`, access({ canLogin: false })),
      [/could not create the demo home: the user demo is not allowed to log in/],
    ],
    [
      'lost its permissions',
      (admin, path) => admin.ok('PUT', `${path}/access`, access({})),
      [/sensor 02DE00000001: This is not permitted/, /sensor 02DE00000002/, /sensor 02DE00000003/, /the alarms/],
    ],
  ])('the demo home restarts even if its user %s', async (title, change, messages) => {
    const dataDir = join(folder, title.replaceAll(/\W/g, '-'));
    await using first = await startHost({ DATA_DIR: dataDir }, asShipped);
    const admin = await logIn(clientOf(first.url), 'admin', ADMIN_PASSWORD);
    const user = await demoOf(first).ok('GET', '/users/me');
    await change(admin, `/users/${user.id}`, user);
    expect(await first.end('SIGTERM')).toBe(0);
    await using second = await startHost({ DATA_DIR: dataDir }, asShipped);
    expect(skipped(second)).toEqual(messages.map((line) => expect.stringMatching(line)));
    if (messages.length === 0) {
      const [page] = await demoOf(second).ok<{ total: number }[]>('GET', '/sensors');
      expect(page?.total).toBe(3);
    }
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
