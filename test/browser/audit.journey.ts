import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import { store } from '#shared/store/store.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('rowan');
  await createRoom(site, 'Room 7');
});
afterAll(() => site.stop());

test('shows who changed a rule and which attempts were refused', {
  timeout: 60_000,
}, async () => {
  await using visitor = await site.openLoggedIn('/rules');
  const { page, checkPage } = visitor;
  await page.getByRole('table').getByRole('link').first().click();
  await page.getByRole('link', { name: 'Who changed this?' }).click();
  const rows = page.getByRole('table', { name: 'Changes' }).getByRole('row');
  await rows.filter({ hasText: 'createRule' }).waitFor();
  expect(await rows.count()).toBe(2);
  await checkPage('audit-of-rule');
  // The object links to its page.
  await rows.getByRole('link', { name: /^Rule .+ \(\d+\)$/ }).click();
  await page.getByRole('link', { name: 'Who changed this?' }).waitFor();

  await page.getByRole('link', { name: 'Changes' }).click();
  await rows.filter({ hasText: 'login' }).first().waitFor();
  const { username } = site.home;
  const wrong = { username, password: 'a-wrong-password' };
  expect((await site.admin.as(undefined).call('POST', '/users/login', wrong)).status).toBe(401);
  await page.getByRole('combobox', { name: 'Result' }).click();
  await page.getByRole('option', { name: 'Refused' }).click();
  const refused = rows.filter({ hasText: 'Logged in' });
  await refused.filter({ hasText: 'Refused' }).waitFor();
  expect(await refused.textContent()).toContain(username);
  await checkPage('audit-refused');
  await refused.getByRole('button', { name: username }).click();
  await page.getByRole('button', { name: 'Show all' }).waitFor();
});

test('shows system admins audit entries that belong to no customer', { timeout: 60_000 }, async () => {
  const admin = { username: 'admin', password: ADMIN_PASSWORD };
  await using visitor = await site.openLoggedIn('/provisioning-keys', admin);
  const { page } = visitor;
  const key = { name: 'Factory line 1', manufacturer: 'maker_a' };
  await site.admin.ok('POST', '/provisioning-keys', key);
  await page.getByRole('link', { name: 'Who changed this?' }).click();
  await page.getByRole('row').filter({ hasText: 'createProvisioningKey' }).waitFor();
});

test('shows how far back the audit log was searched, and continues from there', {
  timeout: 60_000,
}, async () => {
  const { client, customerId } = site.home;
  const { auditLines } = store(site.cloud.runtime.table);
  const me = await client.ok<{ id: number; username: string }>('GET', '/users/me');
  const actor = { kind: 'user' as const, id: String(me.id), name: me.username };
  const object = { kind: 'firmware' as const, id: 'maker_a/1' };
  const line = { actor, object, address: '127.0.0.1', changes: [], requestId: 'r', refused: false };
  const put = (time: number, operation: string, kind = object.kind as 'firmware' | 'bot') =>
    auditLines.put(customerId, {
      ...line,
      object: { ...object, kind },
      id: auditIdOf(time, randomBytes(6)),
      operation,
    });
  const now = Date.now();
  await put(now - 7_200_000, 'deleteBot', 'bot');
  for (let n = 0; n < 5_100; n += 100)
    await Promise.all(Array.from({ length: 100 }, (_, m) => put(now - 3_600_000 + n + m, 'updateFirmware')));
  await using visitor = await site.openLoggedIn('/audit?kind=bot');
  const { page, checkPage } = visitor;
  await page.getByText('The log was searched back to').waitFor();
  expect(await page.getByRole('row').filter({ hasText: 'deleteBot' }).count()).toBe(0);
  await checkPage('audit-unsearched');
  await page.getByRole('button', { name: 'Search older entries' }).click();
  await page.getByRole('row').filter({ hasText: 'deleteBot' }).waitFor();
  expect(await page.getByText('The log was searched back to').count()).toBe(0);
});
