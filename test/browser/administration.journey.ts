import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('oak');
});
afterAll(() => site.stop());

test('lets a system admin set up a customer with a user, a provisioning key and firmware', {
  timeout: 120_000,
}, async () => {
  const admin = { username: 'admin', password: ADMIN_PASSWORD };
  await using visitor = await site.openLoggedIn('/customers', admin);
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: 'New customer' }).click();
  await page.getByLabel('Name').fill('Birch House');
  await page.getByLabel('Location').fill('Birch Street 1');
  await page.getByRole('button', { name: 'Save' }).click();
  // The new customer is selected, with a list of missing steps.
  await page.getByRole('region', { name: 'Your first alarm' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Customer' }).inputValue()).toBe('Birch House');
  await page.getByRole('link', { name: 'Customers' }).click();
  await page.getByRole('cell', { name: 'Birch House' }).waitFor();
  await checkPage('customers');

  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByText('No users found.').waitFor();
  await page.getByRole('link', { name: 'New user' }).click();
  await page.getByLabel('Username').fill('birch.nurse');
  await page.getByLabel(/^Password/).fill('seven quiet rivers');
  await page.getByLabel('Manage rules').check();
  await checkPage('new-user');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'birch.nurse' }).click();
  await page.getByLabel('Manage sensors').check();
  await checkPage('user');
  // The notification after creation has the same text, so this waits for the response.
  const written = page.waitForResponse(/\/access$/);
  await page.getByRole('region', { name: 'Access' }).getByRole('button', { name: 'Save' }).click();
  await written;
  await waitForNotice(page, 'Saved.');
  const [found] = await site.admin.ok<{ data: unknown[] }[]>('GET', '/users?searchText=birch');
  expect(found?.data).toMatchObject([{ username: 'birch.nurse', permissions: ['manage_sensors', 'manage_rules'] }]);

  await page.getByRole('link', { name: 'Provisioning keys' }).click();
  await page.getByRole('button', { name: 'New provisioning key' }).click();
  await page.getByLabel('Name').fill('Factory line 1');
  await page.getByRole('button', { name: 'Create' }).click();
  const key = (await page.locator('[data-secret]').textContent()) ?? '';
  await checkPage('provisioning-keys');
  const device = { manufacturer: 'maker_a', hardwareId: '02DE00000001', firmwareVersion: 42 };
  expect((await site.admin.as(key).call('POST', '/devices/register', device)).status).toBe(201);

  await page.getByRole('link', { name: 'Firmware' }).click();
  await page.getByRole('button', { name: 'New firmware' }).click();
  await page.getByLabel('Version code').fill('42');
  await page.getByLabel(/^Version \*/).fill('v0.42');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Make default' }).click();
  await page.getByRole('cell', { name: 'Default' }).waitFor();
  await checkPage('firmwares');
});
