import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { english } from '#lib/console/personal-data/english.ts';
import { german } from '#lib/console/personal-data/german.ts';
import { itemsEnglish } from '#lib/console/personal-data/items-english.ts';
import { itemsGerman } from '#lib/console/personal-data/items-german.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { ALL_PERMISSIONS, createHome, hireFor } from '../fixtures/home.ts';
import { unzip } from '../fixtures/unzip.ts';
import { choose, waitForNotice } from './fixtures/fields.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

const MINUTE = 60_000;
const clock = skippingClock(Date.now());
const admin = { username: 'admin', password: ADMIN_PASSWORD };

let site: Site;
let wanda: { id: number; username: string };
beforeAll(async () => {
  site = await startSite('willow', { clock });
  wanda = await hireFor(site.admin, site.home.customerId, 'wanda', { email: 'wanda@example.com' });
});
afterAll(() => site.stop());

const exportsOf = (page: Page) => page.getByRole('table', { name: 'Exports' }).getByRole('row');
const erasuresOf = (page: Page) => page.getByRole('table', { name: /^(Erasures|Löschungen)$/ }).getByRole('row');
const fill = async (page: Page, reason: string, password: string) => {
  await page.getByLabel('Reason').fill(reason);
  await page.locator('input[name=password]').fill(password);
};
const switchTo = (page: Page, what: string) => page.getByRole('radiogroup').getByText(what, { exact: true }).click();

test("exports a user's data only once on a double click", async () => {
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/400/] });
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: 'Personal data' }).click();
  await page.getByText('No exports in the last 400 days.').waitFor();
  await page.getByText('No erasures in the last 400 days.').waitFor();
  await choose(page, 'User', 'wanda');
  await fill(page, 'Requested', 'a-wrong-password');
  const begin = page.getByRole('button', { name: 'Export', exact: true });
  await begin.click();
  await page.getByText('is not the current password').waitFor();
  expect(await page.locator('input[name=password]').inputValue()).toBe('');
  await checkPage('personal-data-wrong-password');
  await fill(page, 'Requested', site.home.password);
  await begin.dblclick();
  await waitForNotice(page, 'Export started.');
  await site.cloud.idle();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  const files = await unzip(Buffer.concat(await (await download.createReadStream()).toArray()));
  expect(JSON.parse(files['manifest.json'] ?? '')).toMatchObject({ subject: { kind: 'user', id: wanda.id } });
  expect(files['data.jsonl']).toContain('wanda@example.com');
  // One row and the header.
  expect(await exportsOf(page).count()).toBe(2);
  expect(page.url()).not.toContain(site.home.password);
  await checkPage('personal-data-exported');
});

/** Advances time by minutes. The final erasure pass runs 16 minutes after the start. */
const pass = async (minutes: number) => {
  for (let minute = 0; minute < minutes; minute++) {
    clock.skipTo(clock.now() + MINUTE);
    await site.cloud.sweep();
    await site.cloud.idle();
  }
};

const variants = [
  { colorScheme: 'light', width: 1_440 },
  { colorScheme: 'dark', width: 390 },
] as const;

test.each(variants)(
  'erases a sensor after confirmation, with a certificate at the end, $width pixels wide',
  {
    timeout: 120_000,
  },
  async ({ colorScheme, width }) => {
    const { sensorId } = await createRoom(site, `Room ${width}`);
    const options = { colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, site.home, options);
    const { page, checkPage } = visitor;
    await page.getByRole('link', { name: 'Export or erase' }).click();
    await page.getByRole('heading', { name: 'Personal data' }).waitFor();
    await switchTo(page, 'Erase');
    await fill(page, 'Moved out', site.home.password);
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    const question = page.getByRole('dialog', { name: `Erase “Room ${width}” permanently?` });
    await question.getByText('This cannot be undone.').waitFor();
    await checkPage(`personal-data-question-${width}`);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect((await site.home.client.call('GET', `/sensors/${sensorId}`)).status).toBe(200);
    expect(await page.getByRole('cell', { name: `Sensor ${sensorId}` }).count()).toBe(0);

    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await question.getByRole('button', { name: 'Erase' }).dblclick();
    await waitForNotice(page, 'Erasure started.');
    expect((await site.home.client.call('GET', `/sensors/${sensorId}`)).status).toBe(404);
    const row = erasuresOf(page).filter({ hasText: sensorId });
    await row.getByText('Running').waitFor();
    await row.getByText(/^Done around/).waitFor();
    expect(await row.count()).toBe(1);
    await checkPage(`personal-data-running-${width}`);
    await pass(40);
    await row.getByRole('button', { name: 'Certificate' }).click();
    const certificate = page.getByRole('dialog', { name: 'Certificate' });
    await certificate.getByText('Moved out').waitFor();
    const erased = certificate.getByRole('table', { name: 'What was erased' });
    await erased.getByRole('row', { name: 'Events' }).waitFor();
    await certificate.getByRole('table', { name: 'What remains' }).getByRole('row', { name: 'Backups' }).waitFor();
    const names = await erased.getByRole('rowheader').allTextContents();
    expect(Object.values(itemsEnglish)).toEqual(expect.arrayContaining(names));
    await checkPage(`personal-data-certificate-${width}`);
  },
);

test('does not let users erase their own account, but names who can', async () => {
  const permissions = ['manage_customers' as const];
  const user = await hireFor(site.admin, site.home.customerId, 'leaver', { permissions });
  await using visitor = await site.openLoggedIn('/personal-data', user);
  const { page, checkPage } = visitor;
  await page.getByText('Only yourself. Choosing others requires the “Manage users” permission.').waitFor();
  await choose(page, 'User', 'leaver');
  await switchTo(page, 'Erase');
  await page.getByRole('alert').getByText('You cannot erase your own data').waitFor();
  await checkPage('personal-data-self');
  expect(await page.getByRole('button', { name: 'Erase', exact: true }).isDisabled()).toBe(true);
});

test('lets a system admin erase a user without a customer from the user page', async () => {
  const { id } = await hireFor(site.admin, 0, 'nobody', { customerId: null });
  await using visitor = await site.openLoggedIn(`/users/${id}`, admin);
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: 'Export or erase' }).click();
  await page.getByText('No customer').waitFor();
  expect(await page.getByRole('radio', { name: 'Customer' }).count()).toBe(0);
  await switchTo(page, 'Erase');
  await fill(page, 'Not used', ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Erase “nobody” permanently?' })
    .getByRole('button', { name: 'Erase' })
    .click();
  await erasuresOf(page)
    .filter({ hasText: `User ${id}` })
    .waitFor();
  await checkPage('personal-data-of-none');
  const { customerId } = site.home;
  await page.goto(`${site.address}/personal-data?customer=${customerId}&kind=customer`);
  await page.getByText('Customer: willow').waitFor();
  expect(await page.getByRole('textbox', { name: 'Customer' }).inputValue()).toBe('willow');
  await exportsOf(page)
    .filter({ hasText: `User ${wanda.id}` })
    .waitFor();
});

test('lets a system admin erase a customer, and shows the progress', async () => {
  const gone = await site.admin.ok<{ id: number }>('POST', '/customers', { name: 'Elm', location: '', email: '' });
  await using visitor = await site.openLoggedIn(`/customers/${gone.id}`, admin, { expected: [/404/] });
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: 'Export or erase' }).click();
  await switchTo(page, 'Erase');
  await fill(page, 'Left', ADMIN_PASSWORD);
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByRole('dialog', { name: 'Erase “Elm” permanently?' }).getByRole('button', { name: 'Erase' }).click();
  const row = erasuresOf(page).filter({ hasText: `Customer ${gone.id}` });
  await row.waitFor();
  expect((await site.admin.call('GET', `/customers/${gone.id}`)).status).toBe(404);
  await page.reload();
  await page.getByText(`Customer: ${gone.id}`).waitFor();
  await row.getByRole('button', { name: 'Progress' }).click();
  await page.getByText('The erasure is still running.').waitFor();
  await checkPage('personal-data-so-far');
});

test('lets a second manager approve and cancel a customer erasure', async () => {
  const home = await createHome(site.admin, 'alder', ALL_PERMISSIONS);
  const second = await hireFor(site.admin, home.customerId, 'zweite', {
    permissions: ['manage_customers'],
    locale: 'de',
  });
  const row = (page: Page) => erasuresOf(page).filter({ hasText: `${home.customerId}` });
  {
    await using visitor = await site.openLoggedIn('/personal-data?kind=customer', home);
    const { page, checkPage } = visitor;
    await switchTo(page, 'Erase');
    await page.getByText('must approve the erasure').waitFor();
    await fill(page, 'Closing', home.password);
    await page.getByRole('button', { name: 'Request erasure' }).click();
    const question = page.getByRole('dialog', { name: 'Erase “alder” permanently?' });
    await question.getByRole('button', { name: 'Request erasure' }).click();
    await waitForNotice(page, 'Erasure requested.');
    await row(page).getByText('Requested', { exact: true }).waitFor();
    await row(page)
      .getByText(/^Begins on .* at the earliest/)
      .waitFor();
    expect(await row(page).getByRole('button', { name: 'Approve erasure' }).count()).toBe(0);
    await checkPage('personal-data-requested');
  }
  await using visitor = await site.openLoggedIn('/personal-data', second);
  const { page, checkPage } = visitor;
  await row(page).getByRole('button', { name: 'Löschung zustimmen' }).click();
  const question = page.getByRole('dialog', { name: 'Der Löschung dieses Kunden zustimmen?' });
  await question.getByRole('button', { name: 'Löschung zustimmen' }).click();
  await waitForNotice(page, 'Der Löschung wurde zugestimmt.');
  await row(page).getByText('Zugestimmt von zweite').waitFor();
  await checkPage('personal-data-approved');
  await row(page).getByRole('button', { name: 'Löschung abbrechen' }).click();
  await row(page).getByText('Abgebrochen von zweite').waitFor();
  expect(await row(page).getByRole('button').count()).toBe(0);
  await checkPage('personal-data-canceled');
});

test('offers to restart a failed export', async () => {
  await using visitor = await site.openLoggedIn('');
  const { page, checkPage } = visitor;
  // An export fails only after six hours of attempts.
  await page.route('**/exports', async (route) => {
    const [first, ...others] = await (await route.fetch()).json();
    await route.fulfill({ json: [{ ...first, state: 'failed', url: null }, ...others] });
  });
  await page.getByRole('link', { name: 'Personal data' }).click();
  await exportsOf(page).getByText('You can start it again.').waitFor();
  await checkPage('personal-data-failed');
});

test('hides the menu entry and the links from users without the permission', async () => {
  const { admin, home } = site;
  const { sensorId } = await createRoom(site, 'Room 9');
  const user = await hireFor(admin, home.customerId, 'clerk', { permissions: ['manage_users', 'manage_sensors'] });
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, user);
  const { page } = visitor;
  for (const path of [`/sensors/${sensorId}`, `/users/${user.id}`]) {
    await page.goto(site.address + path);
    await page.getByRole('link', { name: 'Who changed this?' }).waitFor();
    expect(await page.getByRole('link', { name: /Personal data|Export or erase/ }).count()).toBe(0);
  }
  await page.goto(`${site.address}/personal-data`);
  await page.getByText('Permission required: “Manage the customer”.').waitFor();
});

/** Returns all words in these texts. */
const wordsOf = (...texts: unknown[]): string[] => JSON.stringify(texts).match(/\p{L}{3,}/gu) ?? [];

test('does not show English words to a German user', { timeout: 120_000 }, async () => {
  const { id } = await hireFor(site.admin, site.home.customerId, 'xaver', {});
  const inGerman = { locale: 'de', permissions: ALL_PERMISSIONS };
  const user = await hireFor(site.admin, site.home.customerId, 'heimleitung', inGerman);
  await using visitor = await site.openLoggedIn(`/personal-data?kind=user&id=${id}`, user);
  const { page, checkPage } = visitor;
  await switchTo(page, 'Löschen');
  await page.getByLabel('Grund').fill('Ausgezogen');
  await page.locator('input[name=password]').fill(user.password);
  await page.getByRole('button', { name: 'Löschen', exact: true }).click();
  const question = page.getByRole('dialog', { name: '„xaver“ endgültig löschen?' });
  const asked = await question.innerText();
  await question.getByRole('button', { name: 'Löschen' }).click();
  await waitForNotice(page, 'Löschung gestartet.');
  await pass(20);
  await erasuresOf(page)
    .filter({ hasText: `Benutzer ${id}` })
    .getByRole('button', { name: 'Nachweis' })
    .click();
  await page.getByRole('dialog', { name: 'Nachweis' }).getByText('Ausgezogen').waitFor();
  await checkPage('personal-data-german');
  const known = new Set(wordsOf(german, itemsGerman));
  const foreign = new Set(wordsOf(english, itemsEnglish).filter((word) => !known.has(word)));
  const shown = wordsOf(asked, await page.locator('main').innerText(), await page.getByRole('dialog').innerText());
  expect(shown.filter((word) => foreign.has(word))).toEqual([]);
});
