import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('rowan');
  await createRoom(site, 'Room 7');
});
afterAll(() => site.stop());

test('shows users with the permission who changed a rule, and which attempts were refused', {
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
  await rows.getByRole('link', { name: /^Rule \d+$/ }).click();
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

test('shows system admins changes without a customer', { timeout: 60_000 }, async () => {
  const admin = { username: 'admin', password: ADMIN_PASSWORD };
  await using visitor = await site.openLoggedIn('/provisioning-keys', admin);
  const { page } = visitor;
  const key = { name: 'Factory line 1', manufacturer: 'maker_a' };
  await site.admin.ok('POST', '/provisioning-keys', key);
  await page.getByRole('link', { name: 'Who changed this?' }).click();
  await page.getByRole('row').filter({ hasText: 'createProvisioningKey' }).waitFor();
});
