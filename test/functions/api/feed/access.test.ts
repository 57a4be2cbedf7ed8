import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstUlidAt, timeOfUlid } from '#shared/domain/ids.ts';
import { dueAt } from '#shared/store/engine/due.ts';
import { changes } from '#shared/store/engine/request.ts';
import { items } from '#shared/store/table.ts';
import { createFeedWorld, idsOf } from '#test/fixtures/feeds.ts';
import { adminOf } from '#test/fixtures/home.ts';

let world: Awaited<ReturnType<typeof createFeedWorld>>;
type Home = Awaited<ReturnType<(typeof world)['furnish']>>;
const mails: string[] = [];
beforeAll(async () => {
  const say = (line: string) => void (line.startsWith('mail to') && mails.push(line));
  world = await createFeedWorld({ say });
});
afterAll(() => world.stop());

const DAY = 86_400_000;

test('a feed accepts the current webhook token and users who may manage the webhook', async () => {
  const { client, reader, at, feed, fall } = await world.furnish();
  const other = await world.furnish();
  await fall();
  for (const by of [reader, client, await adminOf(world.url)]) expect(await feed('', by)).toHaveLength(1);
  const statusFor = async (by: typeof client) => (await by.call('GET', `${at}/feed`)).status;
  expect(await statusFor(client.as(undefined))).toBe(401);
  expect(await statusFor(other.reader)).toBe(401);
  expect(await statusFor(client.as('x'.repeat(26)))).toBe(401);
  expect(await statusFor(other.client)).toBe(404);
  // A replaced token is invalid.
  await client.ok('POST', `${at}/token`);
  expect(await statusFor(reader)).toBe(401);
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect((await client.call('GET', `/webhooks/${unknown}/feed`)).status).toBe(404);
  expect((await reader.call('GET', `/webhooks/${unknown}/feed`)).status).toBe(401);
});

test('a feed refuses a read-only token and leaves deliveries pending', async () => {
  const { client, session, at, feed, fall, stateOf } = await world.furnish();
  const { token } = await session.ok<{ token: string }>('POST', '/users/me/access-tokens', {
    name: 'r',
    readOnly: true,
  });
  await fall();
  const [given] = await feed();
  const readOnly = client.as(token);
  for (const query of ['', `?after=${given?.id}`])
    expect((await readOnly.call('GET', `${at}/feed${query}`)).status).toBe(403);
  expect(await stateOf(given?.id ?? '')).toBe('pending');
});

test('a feed returns authentication headers only to callers who use the webhook token', async () => {
  const { client, reader, token, feed, fall } = await world.furnish({ authMethod: 'api_key' });
  await fall();
  const [received] = await feed('', reader);
  const [shown] = await feed('', client);
  expect(received?.headers['X-Api-Key']).toBe(token);
  expect(Object.keys(shown?.headers ?? {}).sort()).toEqual(
    Object.keys(received?.headers ?? {})
      .filter((name) => name !== 'X-Api-Key')
      .sort(),
  );
  expect(JSON.stringify(shown)).not.toContain(token);
});

test('the audit log records feed deliveries confirmed by a user, but not by the receiver', async () => {
  const { client, customerId, at, reader, feed, fall } = await world.furnish();
  const lines = async () => {
    const [page] = await client.ok<{ data: object[] }[]>('GET', `/customers/${customerId}/audit?operation=fetchFeed`);
    return page?.data ?? [];
  };
  await fall();
  const [first] = await feed('', client);
  await feed(`?after=${first?.id}`, reader);
  await feed(`?after=${first?.id}`, client);
  expect(await lines()).toEqual([]);
  await fall();
  const [second] = await feed('', client);
  await feed(`?after=${second?.id}`, client);
  const object = expect.objectContaining({ kind: 'webhook', id: at.split('/').at(-1) });
  expect(await lines()).toEqual([
    expect.objectContaining({ actor: expect.objectContaining({ kind: 'token' }), object }),
  ]);
});

test('a feed rejects disabled webhooks, unknown ids and invalid queries', async () => {
  const { client, reader, at, receiver, feed, fall } = await world.furnish();
  const answer = async (query = '') => (await reader.call('GET', `${at}/feed${query}`)).status;
  const unknownId = `${firstUlidAt(world.now())}${'0'.repeat(16)}`;
  expect(await answer(`?after=${unknownId}`)).toBe(404);
  // A delivery cannot be confirmed before it is fetched.
  await fall();
  const [pending] = (await client.ok<{ data: { id: string }[] }[]>('GET', `${at}/deliveries`))[0]?.data ?? [];
  expect(await answer(`?after=${pending?.id}`)).toBe(404);
  const old = `${firstUlidAt(world.now() - 31 * DAY)}${'0'.repeat(16)}`;
  expect(idsOf(await feed(`?after=${old}`))).toEqual([pending?.id]);
  for (const bad of ['limit=0', 'limit=101', 'wait=21', 'wait=-1', 'after=x', 'limit=1e1'])
    expect([bad, await answer(`?${bad}`)]).toEqual([bad, 400]);
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, isEnabled: false });
  expect(await answer()).toBe(409);
  await client.ok('PUT', at, { ...webhook, isEnabled: true });
  // Pending deliveries are still there.
  expect(idsOf(await feed())).toEqual([pending?.id]);
  await client.ok('PUT', at, { ...webhook, url: receiver.url });
  expect(await answer()).toBe(409);
});

test('pending feed deliveries are posted once the webhook has a URL', async () => {
  const { client, at, receiver, fall, feed, list } = await world.furnish();
  await fall();
  await feed();
  await fall();
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: receiver.url });
  await world.pass(60_000);
  expect(receiver.received).toHaveLength(2);
  expect((await list()).data.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  world.answerWith((response) => void response.writeHead(500).end());
  await fall();
  await client.ok('PUT', at, webhook);
  await world.pass(60_000);
  const fed = await feed();
  expect(fed).toHaveLength(1);
  await feed(`?after=${fed[0]?.id}`);
  expect((await list()).data.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
  await world.pass(86_400_000);
  expect(receiver.received).toHaveLength(3);
});

test('a feed returns a delivery even after the process sending it died', async () => {
  const { client, at, customerId, receiver, fall, feed, list } = await world.furnish();
  const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
  await client.ok('PUT', at, { ...webhook, url: receiver.url });
  world.answerWith((response) => void response.writeHead(500).end());
  await fall();
  await client.ok('PUT', at, webhook);
  const [{ id: deliveryId } = { id: '' }] = (await list()).data;
  const key = items.delivery({ customerId, webhookId: at.split('/').at(-1) ?? '', deliveryId });
  const died = { state: 'sending', leaseUntil: world.now() - 1, ...dueAt(deliveryId, world.now()) };
  await world.table.update(key, changes({ set: died }));
  await world.pass(60_000);
  expect(idsOf(await feed())).toEqual([deliveryId]);
});

test('a feed that no one fetches for ten minutes raises one alarm', async () => {
  const { client, session, customerId, at, feed } = await world.furnish();
  const health = async () => (await client.ok<{ health: { failingSince: number | null } }>('GET', at)).health;
  const person = { customerId, password: 'a-long-password', firstName: 'A', lastName: 'B' };
  const email = `chief-${customerId}@example.com`;
  await session.ok('POST', '/users', { ...person, username: `c-${customerId}`, email, permissions: ['manage_bots'] });
  const alarms = () => world.valuesOf('FeedsNotFetched').length;
  const mailed = () => mails.filter((mail) => mail.startsWith(`mail to ${email}: Feed not fetched`)).length;
  // Until `before` is read, feeds from other tests may raise alarms.
  await feed();
  await world.pass(590_000);
  await feed();
  await world.pass(590_000);
  const before = alarms();
  expect([mailed(), (await health()).failingSince]).toEqual([0, null]);
  await world.pass(20_000);
  await world.pass(60_000);
  // An alarm that lasted until the next fetch would hide the next webhook.
  expect(alarms() - before).toBe(1);
  expect(mailed()).toBe(1);
  expect((await health()).failingSince).toEqual(expect.any(Number));
  await feed();
  expect((await health()).failingSince).toBeNull();
  await world.pass(660_000);
  expect(alarms() - before).toBe(2);
});

test('unconfirmed feed deliveries expire after 14 days, even if fetched', async () => {
  const { fall, feed, list } = await world.furnish();
  const idle = await world.furnish();
  await fall();
  await idle.fall();
  const [given] = await feed();
  await world.pass(14 * DAY - 1_000);
  expect(idsOf(await feed())).toEqual([given?.id]);
  await fall();
  await world.pass(2_000);
  const [next, ...others] = await feed();
  expect(others).toEqual([]);
  await world.idle();
  expect(timeOfUlid(next?.id ?? '')).toBeGreaterThan(timeOfUlid(given?.id ?? ''));
  expect((await list()).data.map(({ state, reason }) => [state, reason]).toSorted()).toEqual([
    ['failed', 'expired'],
    ['pending', null],
  ]);
  // Continuing after an expired delivery starts at the oldest pending delivery.
  expect(idsOf(await feed(`?after=${given?.id}`))).toEqual([next?.id]);
  await world.pass(61_000);
  expect((await idle.list()).data).toMatchObject([{ state: 'failed', reason: 'expired' }]);
});

test('a feed fetch returns an empty list if no deliveries arrive while it waits', async () => {
  const { fall, feed } = await world.furnish();
  expect(await feed('?wait=1')).toEqual([]);
  const waiting = feed('?wait=20');
  await fall();
  expect(await waiting).toHaveLength(1);
});

test.each([
  ['the token is replaced', 401, ({ client, at }: Home) => client.ok('POST', `${at}/token`)],
  [
    'the webhook is disabled',
    409,
    async ({ client, at }: Home) => {
      const { hasSecretKey: _, health: __, ...webhook } = await client.ok<Record<string, unknown>>('GET', at);
      await client.ok('PUT', at, { ...webhook, isEnabled: false });
    },
  ],
] as const)('a waiting feed fetch is rejected once %s', async (_, status, change) => {
  const home = await world.furnish();
  const { reader, client, at, fall } = home;
  const waiting = reader.call('GET', `${at}/feed?wait=20`);
  // The webhook records an accepted fetch.
  const isRecorded = async () =>
    (await client.ok<{ health: { lastSuccess: number | null } }>('GET', at)).health.lastSuccess !== null;
  while (!(await isRecorded()));
  await change(home);
  await fall();
  expect((await waiting).status).toBe(status);
});

test('concurrent fetches return the same deliveries, and confirm each only once', async () => {
  const { fall, feed, list } = await world.furnish();
  for (let n = 0; n < 3; n++) await fall();
  const given = await feed();
  const last = given.at(-1)?.id;
  const pages = await Promise.all(Array.from({ length: 20 }, (_, n) => feed(n % 2 ? `?after=${last}` : '')));
  for (const page of pages) expect([[], idsOf(given)]).toContainEqual(idsOf(page));
  await feed(`?after=${last}`);
  expect((await list()).data.map(({ state, attempts }) => [state, attempts])).toEqual(
    given.map(() => ['delivered', 1]),
  );
});
