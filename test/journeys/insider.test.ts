import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '#shared/domain/identity/audit.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { createPeopleWorld } from '../fixtures/people.ts';

let world: Awaited<ReturnType<typeof createPeopleWorld>>;
beforeAll(async () => {
  world = await createPeopleWorld();
});
afterAll(() => world.stop());

test('an admin can see who switched off alarms, despite attempts to erase all traces', async () => {
  const home = await world.furnish();
  const { admin, customerId } = home;
  const path = `/customers/${customerId}`;
  const nurse = await home.hire('Nurse', { email: 'nurse@example.com' });
  const rule = await home.rule([{ userId: nurse.id, by: 'email' }]);
  const insider = await home.hire('Mallory', {}, { permissions: ['manage_customers', 'manage_rules'] });
  const { client, password, id } = insider;
  const {
    id: _,
    createDate: __,
    updateDate: ___,
    customerId: ____,
    ...texts
  } = await client.ok('GET', `/rules/${rule.id}`);
  await client.ok('PUT', `/rules/${rule.id}`, { ...texts, isEnabled: false });
  await client.ok('DELETE', `/rules/${rule.id}`);
  const deleted = world.now();
  const ask = (subject: object) => ({ subject, reason: 'asked for it', password });

  // Nothing hides what happened: neither erasing oneself, nor a flood of refused requests, nor leaving.
  expect((await client.call('POST', `${path}/erasures`, ask({ kind: 'user', id }))).status).toBe(403);
  for (let n = 1; n <= 40; n++) await client.call('DELETE', `/bots/${n}`);
  const body = { ...ask({ kind: 'user', id }), password: ADMIN_PASSWORD };
  const { id: erasureId } = await admin.ok<{ id: string }>('POST', `${path}/erasures`, body);
  for (let minute = 0; minute < 20; minute++) await world.pass(60_000);

  const list = async (query: string) => {
    const [page] = await admin.ok<{ data: AuditEntry[] }[]>('GET', `${path}/audit?${query}`);
    return page?.data ?? [];
  };
  const [line] = await list(`operation=deleteRule&refused=false&objectId=${rule.id}`);
  expect(line).toMatchObject({
    actor: { kind: 'user', id: String(id), name: null },
    object: { kind: 'rule', id: String(rule.id) },
  });
  expect(Math.abs((line?.date ?? 0) - deleted)).toBeLessThan(60_000);
  const [change] = await list(`operation=updateRule&actorId=${id}`);
  expect(change?.details).toEqual([{ field: 'isEnabled', from: true, to: false }]);
  // The id leads to everything else the user did.
  const all = await list(`actorId=${id}`);
  expect(all.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['login', 'deleteRule', 'createErasure']),
  );
  expect(all.filter(({ refused }) => refused).length).toBeLessThan(15);
  const certificate = await admin.ok('GET', `${path}/erasures/${erasureId}`);
  expect(certificate).toMatchObject({ actor: { name: 'admin' }, subject: { kind: 'user', id } });
});
