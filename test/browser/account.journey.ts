import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('account');
});
afterAll(() => site.stop());

test('shows a new access token once, and revokes it', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = visitor;
  await page.getByRole('button', { name: 'New access token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Dashboard');
  await dialog.getByRole('button', { name: 'Create' }).click();
  const token = await dialog.locator('.secret').innerText();
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  await visitor.checkPage('account-token');
  await site.admin.as(token).ok('GET', '/users/me');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await visitor.checkPage('account');
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No access tokens yet.').waitFor();
  expect((await site.admin.as(token).call('GET', '/users/me')).status).toBe(401);
});

test('saves the profile, and switches the language immediately', async () => {
  await using visitor = await site.openLoggedIn('/account');
  const { page } = visitor;
  await page.getByLabel('First name').fill('Zoë');
  await page.getByLabel('Language').selectOption('de');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Profil', exact: true }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await visitor.checkPage('account-german');
});

test('asks for the password when the email address changes', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { locale: 'en', expected: [/400/] });
  const { page } = visitor;
  await site.home.client.ok('PUT', '/users/me', {
    ...(await site.home.client.ok<object>('GET', '/users/me')),
    locale: 'en',
  });
  await page.reload();
  const profile = page.locator('form').filter({ has: page.getByRole('heading', { name: 'Profile' }) });
  const password = profile.getByLabel('Current password');
  expect(await password.count()).toBe(0);
  await profile.getByLabel('Email').fill('new@example.com');
  await password.fill('a-wrong-password');
  await profile.getByRole('button', { name: 'Save' }).click();
  await profile.getByText('is not the current password').waitFor();
  await visitor.checkPage('account-new-address');
  await password.fill(site.home.password);
  await profile.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Profile saved.').waitFor();
  await password.waitFor({ state: 'detached' });
});
