import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, clientOf, logIn } from '../fixtures/client.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { type Host, startHost } from '../fixtures/host.ts';

// Everything is as users have it: the limit of calls, the demo home, private targets.
const asShipped = [] as const;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sensor-cloud-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Somebody who calls the API as the demo's user, by the token that the start printed. */
const demoOf = ({ url, lines }: Host): Client =>
  clientOf(url, lines.find((line) => line.includes('export TOKEN='))?.split('=')[1], true);
/** What the demo says it goes without. */
const leftOut = ({ lines }: Host): string[] => lines.filter((line) => line.startsWith('demo: '));

type Hook = { id: string; url: string; format: string };
const hookOf = async (demo: Client): Promise<Hook> => {
  const [page] = await demo.ok<{ data: Hook[] }[]>('GET', '/webhooks');
  return page?.data[0] ?? expect.unreachable('the demo has no webhook');
};

describe('the demo home', () => {
  test('goes on whatever anybody sends to its receiver, and whichever format its webhook has', async () => {
    await using host = await startHost({ DATA_DIR: join(folder, 'formats') }, asShipped);
    const demo = demoOf(host);
    const hook = await hookOf(demo);
    const post = (body: string, headers = {}) => fetch(hook.url, { method: 'POST', body, headers });
    for (const body of ['x', '', 'null', '[]', '{"event":7,"sensor":"a"}', '{"rule":{"title":{}}}'])
      expect([200, 400]).toContain((await post(body)).status);
    expect((await post('x', { 'content-type': 'text/plain', origin: 'https://elsewhere.example' })).status).toBe(400);
    for (const format of ['custom1', 'raw', 'full']) {
      // A webhook with a rule that Custom 1 cannot tell stays as it is; the demo has none.
      await demo.ok('PUT', `/webhooks/${hook.id}`, { ...hook, format });
      const heard = host.lines.filter((line) => line.startsWith('nurse call: ')).length;
      await demo.ok('POST', `/webhooks/${hook.id}/test`, {});
      await host.until(() => host.lines.filter((line) => line.startsWith('nurse call: ')).length > heard);
    }
    expect(await demo.ok('GET', '/health')).toMatchObject({ status: 'OK', exceptions: 0 });
    expect(await host.end('SIGTERM')).toBe(0);
  });

  const leavesOut = async (what: string, environment: Record<string, string>, said: RegExp[]): Promise<void> => {
    await using host = await startHost(
      { DATA_DIR: join(folder, what.replaceAll(' ', '-')), ...environment },
      asShipped,
    );
    expect(leftOut(host)).toEqual(said.map((line) => expect.stringMatching(line)));
    expect((await fetch(`${host.url}/health`)).status).toBe(200);
    expect(await host.end('SIGTERM')).toBe(0);
  };

  test.each<[string, Record<string, string>, RegExp[]]>([
    [
      'no receiver where private targets are not allowed',
      { ALLOW_PRIVATE_TARGETS: 'false' },
      [/without its bots and webhooks.*: url is not an allowed address/],
    ],
    [
      'what is over a quota',
      { QUOTAS: '{"sensors":1,"rules":2}' },
      [/sensor 02DE00000002: .*at most 1 sensors/, /sensor 02DE00000003/, /rule for empty_room: .*at most 2 rules/],
    ],
    [
      'everything where its name is taken',
      { ADMIN_USERNAME: 'demo' },
      [/everything: the user demo belongs to no cust/],
    ],
  ])('leaves out %s, and says so', leavesOut);

  // At the same time, because both wait for seconds.
  test.concurrent.each<[string, Record<string, string>, RegExp[]]>([
    ['nothing where five calls a second are allowed', { RATE_LIMIT_PER_SECOND: '5' }, []],
    ['time where one call a second is allowed', { RATE_LIMIT_PER_SECOND: '1' }, [/still being made/]],
  ])('leaves out %s, and says so', leavesOut);

  type Change = (admin: Client, path: string, user: Record<string, unknown>) => Promise<unknown>;
  const access = (more: object) => ({ canLogin: true, isAdmin: false, permissions: [], ...more });
  test.each<[string, Change, RegExp[]]>([
    ['was deleted, and is made again', (admin, path) => admin.ok('DELETE', path), []],
    [
      'may not log in',
      (admin, path) => admin.ok('PUT', `${path}/access`, access({ canLogin: false })),
      [/everything: the user demo may not log in/],
    ],
    [
      'lost its permissions',
      (admin, path) => admin.ok('PUT', `${path}/access`, access({})),
      [/sensor 02DE00000001: This is not permitted/, /sensor 02DE00000002/, /sensor 02DE00000003/, /its alarms/],
    ],
  ])('starts again where its user %s', async (what, change, said) => {
    const dataDir = join(folder, what.replaceAll(/\W/g, '-'));
    await using first = await startHost({ DATA_DIR: dataDir }, asShipped);
    const admin = await logIn(clientOf(first.url), 'admin', ADMIN_PASSWORD);
    const user = await demoOf(first).ok('GET', '/users/me');
    await change(admin, `/users/${user.id}`, user);
    expect(await first.end('SIGTERM')).toBe(0);
    await using second = await startHost({ DATA_DIR: dataDir }, asShipped);
    expect(leftOut(second)).toEqual(said.map((line) => expect.stringMatching(line)));
    if (said.length === 0) {
      const [page] = await demoOf(second).ok<{ total: number }[]>('GET', '/sensors');
      expect(page?.total).toBe(3);
    }
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
