import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { type Client, logIn } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD } from '#test/fixtures/cloud.ts';
import { type Erasing, startErasureWorld } from '#test/fixtures/erasure-world.ts';
import { unzip } from '#test/fixtures/unzip.ts';

type Job = { id: string; state: string; url: string | null; counts: Record<string, number> };
type Line = { item: string } & Record<string, unknown>;
const DAY = 86_400_000;

let world: Erasing;
let home: Awaited<ReturnType<Erasing['live']>>;
beforeAll(async () => {
  world = await startErasureWorld();
  home = await world.live();
});
afterAll(() => world.stop());

const at = (what: 'exports' | 'erasures', id = '') => `/customers/${home.customerId}/${what}${id && `/${id}`}`;
const bodyOf = (subject: object, password = ADMIN_PASSWORD) => ({ subject, reason: 'asked for it', password });
const exported = async (subject: object): Promise<Job> => {
  const { id } = await home.admin.ok<Job>('POST', at('exports'), bodyOf(subject));
  await world.idle();
  return home.admin.ok<Job>('GET', at('exports', id));
};
const filesOf = async ({ url }: Job) => {
  const files = await unzip(new Uint8Array(await (await fetch(url ?? '')).arrayBuffer()));
  const lines = (files['data.jsonl'] ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { files, lines, manifest: JSON.parse(files['manifest.json'] ?? '') };
};

describe('an export', () => {
  test('an export contains everything that mentions the user', async () => {
    const { id } = home.wanda;
    const job = await exported({ kind: 'user', id });
    expect(job).toMatchObject({ state: 'completed', subject: { kind: 'user', id }, reason: 'asked for it' });
    const { lines, manifest } = await filesOf(job);
    expect(manifest).toMatchObject({ format: 1, id: job.id, subject: { kind: 'user', id } });
    expect(manifest.files).toEqual([{ name: 'data.jsonl', counts: job.counts }]);
    const counts = Object.fromEntries(
      [...Map.groupBy(lines, ({ item }) => item)].map(([item, all]) => [item, all.length]),
    );
    expect(counts).toEqual(job.counts);
    expect(lines.find(({ item }) => item === 'user')).toMatchObject({
      id,
      firstName: 'Wanda',
      email: 'wanda@example.com',
    });
    expect(
      lines
        .filter(({ item }) => item === 'channel')
        .map(({ by }) => by)
        .sort(),
    ).toEqual(['email', 'sms']);
    expect(lines.filter(({ item }) => item === 'ruleHit')).toEqual([
      expect.objectContaining({ acknowledgement: expect.objectContaining({ name: 'Wanda' }) }),
      // Acknowledging the fall also acknowledged the other hit.
      expect.objectContaining({ acknowledgement: expect.objectContaining({ name: 'Wanda' }) }),
    ]);
    // Other users' notifications and residents are not included.
    expect(JSON.stringify(lines.filter(({ item }) => item === 'ruleHit'))).not.toContain('Nurse call');
    expect(lines.some(({ item }) => item === 'sensor')).toBe(false);
  });

  test("an export contains a sensor's events, messages, rule hits and deliveries", async () => {
    const { lines } = await filesOf(await exported({ kind: 'sensor', id: home.sensorId }));
    const kinds = new Set(lines.map(({ item }) => item));
    expect([...kinds].sort()).toEqual([
      'attempt',
      'auditLine',
      'config',
      'delivery',
      'event',
      'fallAnswer',
      'feedback',
      'floorPlan',
      'groupMember',
      'message',
      'notice',
      'personDelivery',
      'room',
      'ruleHit',
      'sensor',
      'sensorState',
    ]);
    expect(lines.some(({ item, raw }) => item === 'message' && String(raw).includes('"status":"calling"'))).toBe(true);
    expect(lines.find(({ item }) => item === 'delivery')).toMatchObject({
      snapshot: { sensor: { id: home.sensorId } },
    });
  });

  test('an export does not contain secrets, even encrypted or hashed ones', async () => {
    const { customerId, wanda, webhookId } = home;
    const { table } = world;
    const { users, sessions, logins, webhooks } = store(table);
    const accountKey = (await users.get(customerId, wanda.id))?.accountKey ?? '';
    const otp = await table.get<{ sealed: string }>(items.otp({ accountKey }));
    const hashes = (await logins.list(accountKey)).map(({ hash }) => hash);
    const secrets = [
      accountKey,
      otp?.sealed,
      await sessions.passwordHash(accountKey),
      ...hashes,
      (await webhooks.get(customerId, webhookId))?.token,
    ];
    const job = await exported({ kind: 'customer', id: customerId });
    const { files } = await filesOf(job);
    expect(secrets.length).toBeGreaterThan(4);
    for (const secret of secrets)
      expect([secret?.length ?? 0, files['data.jsonl']?.includes(secret ?? '')]).toEqual([expect.any(Number), false]);
    for (const name of ['codeHash', 'secretKey', 'csrf', 'idToken', 'subscription'])
      expect(files['data.jsonl']).not.toContain(`"${name}"`);
    expect(Object.keys(job.counts).length).toBeGreaterThan(25);
  });
});

describe('a data job', () => {
  const erase = async (client: Client, subject: object, password: string) => {
    const { status, body } = await client.call('POST', at('erasures'), bodyOf(subject, password));
    return [status, (body as { errors?: { path: string }[] }).errors?.map(({ path }) => path)];
  };

  test("a data job requires the caller's password", async () => {
    const subject = { kind: 'user', id: home.other.id };
    expect(await erase(home.admin, subject, '')).toEqual([400, ['password']]);
    const { client, password } = await home.hire('Manager', {}, { permissions: ['manage_customers'] });
    for (let wrong = 0; wrong < 10; wrong += 1)
      expect(await erase(client, subject, 'wrong')).toEqual([400, ['password']]);
    expect((await erase(client, subject, password))[0]).toBe(429);
  });

  test('callers cannot erase their own accounts', async () => {
    const { client, password, id } = await home.hire('Vanishing', {}, { permissions: ['manage_customers'] });
    expect((await erase(client, { kind: 'user', id }, password))[0]).toBe(403);
    const admin = await home.admin.ok<{ id: number }>('GET', '/users/me');
    const body = bodyOf({ kind: 'user', id: admin.id });
    expect((await home.admin.call('POST', '/customers/0/erasures', body)).status).toBe(403);
  });

  test('an export contains only what the caller may see', async () => {
    const { id, password, client, username } = await home.hire('Exporter', {}, { permissions: ['manage_customers'] });
    const start = async (kind: string, subjectId: unknown) =>
      (await client.call('POST', at('exports'), bodyOf({ kind, id: subjectId }, password))).status;
    const grant = (...permissions: string[]) =>
      home.session.ok('PUT', `/users/${id}/access`, {
        canLogin: true,
        permissions: ['manage_customers', ...permissions],
      });
    expect(await start('user', id)).toBe(403);
    await grant('manage_users');
    expect(await start('user', id)).toBe(403);
    await grant('manage_users', 'manage_rules');
    expect([await start('user', id), await start('sensor', home.sensorId)]).toEqual([202, 403]);
    await grant('manage_users', 'manage_rules', 'manage_bots');
    expect([await start('sensor', home.sensorId), await start('customer', home.customerId)]).toEqual([202, 202]);
    expect(username).toContain('Exporter');
    await world.idle();
  });

  test("returns an export's URL only to sessions with the required permissions", async () => {
    const job = await exported({ kind: 'user', id: home.userId });
    expect(job.url).toEqual(expect.any(String));
    const fileOf = async (client: Client) => {
      const { url, fileUntil } = await client.ok<Job & { fileUntil: number }>('GET', at('exports', job.id));
      return { hasUrl: url !== null, hasFile: fileUntil !== null };
    };
    const narrow = await home.hire('Narrow', {}, { permissions: ['manage_customers'] });
    const lines = async () => {
      const path = `/customers/${home.customerId}/audit?operation=getExport`;
      return (await home.client.ok<{ data: { actor: { id: string } }[] }[]>('GET', path))[0]?.data ?? [];
    };
    const before = (await lines()).length;
    expect(await fileOf(home.client)).toEqual({ hasUrl: false, hasFile: true });
    expect(await fileOf(narrow.client)).toEqual({ hasUrl: false, hasFile: true });
    const list = await home.session.ok<Job[]>('GET', at('exports'));
    expect(list.map(({ url }) => url)).toEqual(list.map(() => null));
    expect((await lines()).length).toBe(before);
    for (let n = 0; n < 2; n++) expect(await fileOf(home.session)).toEqual({ hasUrl: true, hasFile: true });
    const added = await lines();
    expect([added.length - before, added[0]?.actor.id]).toEqual([2, String(home.userId)]);
  });

  test('a caller cannot run data jobs for users with more permissions', async () => {
    const { client, password } = await home.hire('Clerk', {}, { permissions: ['manage_customers'] });
    const boss = await home.hire('Boss', {}, { permissions: ['manage_users', 'manage_sensors'] });
    expect((await erase(client, { kind: 'user', id: boss.id }, password))[0]).toBe(403);
    const theirs = await world.furnish();
    expect((await erase(client, { kind: 'user', id: theirs.userId }, password))[0]).toBe(404);
    expect((await erase(client, { kind: 'sensor', id: theirs.sensorId }, password))[0]).toBe(404);
    expect(await erase(client, { kind: 'customer', id: theirs.customerId }, password)).toEqual([400, ['subject.id']]);
    expect(
      (
        await client.call(
          'POST',
          `/customers/${theirs.customerId}/exports`,
          bodyOf({ kind: 'customer', id: theirs.customerId }, password),
        )
      ).status,
    ).toBe(404);
    expect((await client.call('GET', `/customers/${theirs.customerId}/erasures`)).status).toBe(404);
  });

  test('requests for data jobs beyond the daily limit return 429', async () => {
    const permissions = ['manage_customers', 'manage_users', 'manage_rules'];
    const { client, password, id } = await home.hire('Busy', {}, { permissions });
    const body = bodyOf({ kind: 'user', id }, password);
    const statuses: number[] = [];
    for (let turn = 0; turn < 60; turn += 1) statuses.push((await client.call('POST', at('exports'), body)).status);
    expect(statuses.at(-1)).toBe(429);
    const all = await home.admin.ok<{ createDate: number }[]>('GET', at('exports'));
    const dates = all.map(({ createDate }) => createDate);
    expect(dates).toEqual(dates.toSorted((a, b) => b - a));
    await world.idle();
  });
});

test("a customer's first erasure deletes all existing exports", async () => {
  const theirs = await world.furnish();
  const { customerId } = theirs;
  const path = `/customers/${customerId}`;
  const subject = { kind: 'customer', id: customerId };
  const { id } = await home.admin.ok<Job>('POST', `${path}/exports`, bodyOf(subject));
  await world.idle();
  const { url } = await home.admin.ok<Job>('GET', `${path}/exports/${id}`);
  await home.admin.ok('POST', `${path}/erasures`, bodyOf({ kind: 'user', id: theirs.userId }));
  await world.idle();
  expect((await fetch(url ?? '')).status).toBe(403);
  expect(await home.admin.ok('GET', `${path}/exports/${id}`)).toMatchObject({ state: 'completed', url: null });
});

// Runs last, because it makes all sessions expire.
test('an export can be downloaded for five minutes by anyone with the URL', async () => {
  home = { ...home, ...(await world.furnish()) };
  const job = await exported({ kind: 'user', id: home.userId });
  const url = new URL(job.url ?? '');
  expect((await fetch(url)).headers.get('content-disposition')).toContain(`user-${job.id}.zip`);
  for (const change of ['signature', 'expires'] as const) {
    const other = new URL(url);
    other.searchParams.set(change, '1');
    expect((await fetch(other)).status).toBe(403);
  }
  expect((await fetch(`${url.origin}${url.pathname}/../../../secrets.key${url.search}`)).status).not.toBe(200);
  await world.pass(301_000);
  expect((await fetch(url)).status).toBe(403);
  const later = await home.admin.ok<Job>('GET', at('exports', job.id));
  expect((await fetch(later.url ?? '')).status).toBe(200);
  await world.pass(DAY);
  const admin = await logIn(home.admin.as(undefined), 'admin', ADMIN_PASSWORD);
  home = { ...home, admin };
  expect(await admin.ok('GET', at('exports', job.id))).toMatchObject({ state: 'completed', url: null });
  expect((await fetch(later.url ?? '')).status).toBe(403);
});
