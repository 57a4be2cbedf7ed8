import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import type { Erasure } from '#shared/domain/identity/data-job-view.ts';
import { randomUlid } from '#shared/domain/ids.ts';
import { store } from '#shared/store/store.ts';
import { type Client, logIn } from '#test/fixtures/client.ts';
import { ADMIN_PASSWORD } from '#test/fixtures/cloud.ts';
import { adminOf } from '#test/fixtures/home.ts';
import { createPeopleWorld } from '#test/fixtures/people.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
  const admin = await adminOf(world.url);
  const { id, locale } = await admin.ok<{ id: number; locale: string }>('GET', '/users/me');
  const profile = { firstName: '', lastName: '', email: 'operator@example.com', telegramId: null, mobileNumber: null };
  await admin.ok('PUT', `/users/${id}`, { ...profile, locale, currentPassword: ADMIN_PASSWORD });
});
afterAll(() => world.stop());

const manager = ['manage_customers', 'manage_users'] as const;
/** Creates a home with two managers. */
const furnish = async () => {
  const home = await world.furnish();
  const { customerId } = home;
  const path = `/customers/${customerId}`;
  const { name, location } = await home.client.ok<{ name: string; location: string }>('GET', path);
  await home.client.ok('PUT', path, { name, location, email: `office-${customerId}@example.com` });
  const hire = (who: string, more: object = {}) =>
    home.hire(who, {}, { permissions: manager, email: `${who}-${customerId}@example.com`, ...more });
  const [mallory, ann] = [await hire('mallory'), await hire('ann', { locale: 'de' })];
  const body = (password: string) => ({ subject: { kind: 'customer', id: customerId }, reason: 'closing', password });
  const request = async () => {
    const made = await mallory.client.ok<Erasure>('POST', `${path}/erasures`, body(mallory.password));
    await world.idle();
    return { ...made, at: `${path}/erasures/${made.id}` };
  };
  /** Logs a user in again, because sessions end after a day. */
  const again = (user: typeof ann) => logIn(home.admin.as(undefined), user.username, user.password);
  const erasure = () =>
    store(world.table)
      .dataJobs.list(customerId, 'erasure')
      .then(([newest]) => newest);
  return { ...home, hire, path, mallory, ann, body, request, again, erasure };
};
const mailsTo = (address: string) => world.sentMessages.filter(({ to }) => to === address);
/** Advances time hour by hour, with a sweep each time. */
const passHours = async (hours: number) => {
  for (let hour = 0; hour < hours; hour++) await world.pass(HOUR);
};
const errorOf = async (answer: ReturnType<Client['call']>) => {
  const { status, headers } = await answer;
  return [status, headers.get('x-error-code')];
};

describe('a customer erasure requested by a manager', () => {
  test('everyone who can cancel a requested erasure is emailed only once', async () => {
    const { customerId, request, client, path, admin } = await furnish();
    const { id, createDate, ...made } = await request();
    expect(made).toMatchObject({
      state: 'requested',
      begins: createDate + 24 * HOUR,
      approvedBy: null,
      canceledBy: null,
    });
    const addresses = ['mallory', 'ann', 'office'].map((who) => `${who}-${customerId}@example.com`);
    const requested = [...addresses, 'operator@example.com'].map((address) => mailsTo(address).at(-1)?.text ?? '');
    for (const text of requested) expect(text).toContain(`/console/personal-data?kind=customer&customer=${customerId}`);
    expect(requested[0]).toMatch(/^Erasure of linden-\d+ requested\n\nmallory-\d+ has requested[\s\S]*closing/);
    expect(requested[1]).toContain('beantragt');
    // Readers of the customer's mailbox may have no login.
    expect(requested[2]).toMatch(
      /If this is a mistake and you have no login, ask [^.]*\bann\b[^.]* or a system admin\. .*: http/,
    );
    expect(requested[2]).not.toMatch(/ask [^.]*mallory/);
    await passHours(3);
    for (const address of addresses) expect(mailsTo(address), address).toHaveLength(1);
    expect((await client.call('GET', path)).status).toBe(200);
    const [page] = await (await adminOf(world.url)).ok<{ data: AuditEntry[] }[]>(
      'GET',
      '/customers/0/audit?operation=createErasure',
    );
    expect(page?.data[0]).toMatchObject({ object: { kind: 'customer', id: String(customerId) } });
    expect(await admin.ok<Erasure[]>('GET', `${path}/erasures`)).toMatchObject([{ id, state: 'requested' }]);
  });

  test('managers are emailed about an erasure request even after a crash', async () => {
    const { customerId, mallory } = await furnish();
    const createDate = world.now();
    const actor = { kind: 'user', id: String(mallory.id), name: 'mallory' } as const;
    const job = { customerId, kind: 'erasure', state: 'requested', createDate, updateDate: createDate, actor } as const;
    const subject = { kind: 'customer', id: customerId } as const;
    const id = randomUlid(createDate, world.runtime.random);
    const more = { begins: createDate + 24 * HOUR, reason: 'closing', counts: {}, remains: [] };
    await store(world.table).dataJobs.create({ ...job, id, subject, ...more });
    for (let minute = 0; minute < 5; minute++) await world.pass(MINUTE);
    expect(mailsTo(`ann-${customerId}@example.com`)).toHaveLength(1);
  });

  test('an erasure never begins without approval', async () => {
    const { request, erasure, path, client } = await furnish();
    await request();
    await passHours(50);
    expect(await erasure()).toMatchObject({ state: 'requested' });
    expect((await client.call('GET', path)).status).toBe(200);
  });

  test('an approved erasure begins 24 hours after the request', async () => {
    const { request, erasure, path, ann, client, customerId } = await furnish();
    const { at } = await request();
    expect(await ann.client.ok('POST', `${at}/approval`)).toMatchObject({
      state: 'requested',
      approvedBy: { kind: 'user', id: String(ann.id) },
    });
    expect(await ann.client.ok('POST', `${at}/approval`)).toMatchObject({ state: 'requested' });
    await passHours(23);
    expect((await client.call('GET', path)).status).toBe(200);
    await passHours(1);
    await world.pass(MINUTE);
    expect((await client.call('GET', path)).status).toBe(401);
    expect(await erasure()).toMatchObject({ state: 'running' });
    for (let minute = 0; minute < 40; minute++) await world.pass(MINUTE);
    const done = await erasure();
    expect(done).toMatchObject({ state: 'completed', actor: { name: `mallory-${customerId}` } });
    expect(done?.updateDate ?? 0).toBeGreaterThan((done?.startDate ?? 0) + 16 * MINUTE - 1);
  });

  test('an erasure approved late by a system admin begins at once', async () => {
    const { request, erasure } = await furnish();
    const { at } = await request();
    await passHours(26);
    await (await adminOf(world.url)).ok('POST', `${at}/approval`);
    await world.idle();
    expect(await erasure()).toMatchObject({ state: 'running', approvedBy: { name: 'admin' } });
  });

  test('an erasure cannot be approved by the requester or with an access token', async () => {
    const { request, mallory, ann, hire, erasure } = await furnish();
    const { at } = await request();
    const { token } = await ann.client.ok<{ token: string }>('POST', '/users/me/access-tokens', { name: 'n' });
    const clerk = await hire('clerk', { permissions: ['manage_users'] });
    const stranger = await furnish();
    expect(await errorOf(mallory.client.call('POST', `${at}/approval`))).toEqual([403, 'forbidden']);
    expect(await errorOf(ann.client.as(token).call('POST', `${at}/approval`))).toEqual([403, 'forbidden']);
    expect(await errorOf(clerk.client.call('POST', `${at}/approval`))).toEqual([403, 'forbidden']);
    expect(await errorOf(clerk.client.call('DELETE', at))).toEqual([403, 'forbidden']);
    expect((await stranger.ann.client.call('POST', `${at}/approval`)).status).toBe(404);
    expect((await stranger.ann.client.call('DELETE', at)).status).toBe(404);
    const job = await erasure();
    expect([job?.state, job?.approvedBy]).toEqual(['requested', undefined]);
  });

  test('managers, the requester and system admins can cancel an erasure, even after approval', async () => {
    for (const by of ['ann', 'mallory', 'admin'] as const) {
      const home = await furnish();
      const { at } = await home.request();
      await home.ann.client.ok('POST', `${at}/approval`);
      const client = by === 'admin' ? await adminOf(world.url) : home[by].client;
      expect(await client.ok('DELETE', at)).toMatchObject({ state: 'canceled', canceledBy: { kind: 'user' } });
      expect(await errorOf(client.call('DELETE', at))).toEqual([409, 'erasure_canceled']);
      expect(await errorOf(home.ann.client.call('POST', `${at}/approval`))).toEqual([409, 'erasure_canceled']);
      await passHours(26);
      expect(await home.erasure()).toMatchObject({ state: 'canceled' });
      expect((await home.client.call('GET', home.path)).status).toBe(200);
    }
  });

  test('canceling an erasure as it begins either prevents it or fails', async () => {
    const { request, erasure, ann, again } = await furnish();
    const { at } = await request();
    await ann.client.ok('POST', `${at}/approval`);
    await passHours(23);
    const client = await again(ann);
    const begin = world.pass(2 * HOUR);
    const answers = await Promise.all([...Array.from({ length: 5 }, () => client.call('DELETE', at)), begin]);
    const statuses = answers.flatMap((answer) => (answer ? [answer.status] : []));
    const isCanceled = statuses.includes(200);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    expect((await erasure())?.state).toBe(isCanceled ? 'canceled' : 'running');
  });

  test('a customer cannot have two erasure requests at once', async () => {
    const { mallory, ann, body, path, client } = await furnish();
    const ask = (user: typeof ann) => user.client.call('POST', `${path}/erasures`, body(user.password));
    const answers = await Promise.all([mallory, ann, mallory, ann, mallory, ann].map(ask));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409, 409, 409, 409, 409]);
    const [request] = await client.ok<Erasure[]>('GET', `${path}/erasures`);
    await client.ok('DELETE', `${path}/erasures/${request?.id}`);
    expect((await ask(mallory)).status).toBe(202);
    const states = (await client.ok<Erasure[]>('GET', `${path}/erasures`)).map(({ state }) => state);
    expect(states).toEqual(['requested', 'canceled']);
  });

  test('a system admin can start a requested erasure at once', async () => {
    const { request, mallory, ann, body, path, erasure } = await furnish();
    const { at } = await request();
    const erasures = `${path}/erasures`;
    expect(await errorOf(mallory.client.call('POST', erasures, body(mallory.password)))).toEqual([
      409,
      'erasure_requested',
    ]);
    expect(await errorOf(ann.client.call('POST', erasures, body(ann.password)))).toEqual([409, 'erasure_requested']);
    const boss = await adminOf(world.url);
    expect(await boss.ok('POST', erasures, body(ADMIN_PASSWORD))).toMatchObject({ state: 'running', begins: null });
    expect(await erasure()).toMatchObject({ state: 'running' });
    const { id } = (await erasure()) ?? {};
    expect(await errorOf(boss.call('DELETE', `${erasures}/${id}`))).toEqual([409, 'erasure_begun']);
    expect(await errorOf(boss.call('POST', `${erasures}/${id}/approval`))).toEqual([409, 'erasure_begun']);
    expect((await boss.call('DELETE', at)).status).toBe(200);
  });

  test('the requester of an erasure cannot remove other users or change their access', async () => {
    const { request, mallory, ann, customerId, path, hire } = await furnish();
    const { at } = await request();
    const victim = await hire('victim', { permissions: [] });
    const names = { firstName: 'A', lastName: 'B', email: 'x@example.com' };
    const user = `/users/${victim.id}`;
    const profile = { ...names, locale: 'en', telegramId: null, mobileNumber: null };
    const ask = (password: string) => ({ subject: { kind: 'user', id: victim.id }, reason: 'r', password });
    const attempts = (client: Client, n: number): [string, string, unknown?][] => [
      ['PUT', `${user}/access`, { canLogin: true, permissions: [] }],
      ['POST', '/users', { ...names, username: `accomplice-${customerId}-${n}`, password: 'long-password-of-no-use' }],
      ['PUT', `${user}/password`, { newPassword: 'long-password-of-no-use' }],
      ['PUT', user, { ...profile, email: `${n}@example.com` }],
      ['DELETE', `${user}/otp`, {}],
      ['POST', `${path}/erasures`, ask(client === mallory.client ? mallory.password : ann.password)],
      ['DELETE', user],
    ];
    for (const [method, to, body] of attempts(mallory.client, 1))
      expect(await errorOf(mallory.client.call(method, to, body)), `${method} ${to}`).toEqual([
        403,
        'erasure_requester',
      ]);
    // The requester can still change their own password.
    const change = { currentPassword: mallory.password, newPassword: 'another-long-password' };
    expect((await mallory.client.call('PUT', `/users/${mallory.id}/password`, change)).status).toBe(200);
    await ann.client.ok('DELETE', at);
    const fresh = await logIn(mallory.client.as(undefined), mallory.username, 'another-long-password');
    expect((await fresh.call('PUT', `${user}/access`, { canLogin: true, permissions: [] })).status).toBe(200);
    expect((await fresh.call('DELETE', user)).status).toBe(200);
  });
});
