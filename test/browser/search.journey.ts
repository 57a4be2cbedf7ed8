import { afterAll, beforeAll, expect, test } from 'vitest';
import { hireFor } from '#test/fixtures/home.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

const words = {
  'en-GB': { search: 'Search', handover: 'Handover', nothing: 'Nothing found.' },
  'de-DE': { search: 'Suchen', handover: 'Übergabe', nothing: 'Nichts gefunden.' },
} as const;

let site: Site;
beforeAll(async () => {
  site = await startSite('search');
  await createRoom(site, 'Room 12, Süd');
});
afterAll(() => site.stop());

test.each([
  ['light', 'en-GB'],
  ['dark', 'de-DE'],
] as const)('finds pages, rooms and users with the keyboard, in %s and %s', async (colorScheme, locale) => {
  const { search, handover, nothing } = words[locale];
  const me = await site.home.client.ok<object>('GET', '/users/me');
  await site.home.client.ok('PUT', '/users/me', { ...me, locale: locale.slice(0, 2) });
  await using visitor = await site.openLoggedIn('', undefined, { colorScheme, locale });
  const { page, checkPage } = visitor;
  const scripts: string[] = [];
  page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
  await page.getByRole('button', { name: search }).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('textbox', { name: search });
  await field.waitFor();
  // The search code was not part of the first load.
  expect(scripts.length).toBeGreaterThan(0);
  const result = (name: string) => page.getByRole('dialog').getByRole('button', { name });
  await result(handover).waitFor();
  await checkPage(`search-${locale.slice(0, 2)}-${colorScheme}`);
  await field.fill('12');
  await result('Room 12, Süd').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Room 12, Süd' }).waitFor();

  await page.getByRole('button', { name: search }).click();
  await field.fill('search-nurse');
  await result('search-nurse').click();
  await page.getByRole('heading', { name: 'search-nurse' }).waitFor();

  await page.keyboard.press('Control+k');
  await result(handover).waitFor();
  await page.locator('input:focus').waitFor();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await field.waitFor({ state: 'hidden' });

  await page.keyboard.press('Control+k');
  await field.fill('no such thing');
  await page.getByText(nothing).waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'hidden' });
});

test('search omits users that the viewer may not see', async () => {
  const nurse = await hireFor(site.admin, site.home.customerId, 'search-helper');
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await using visitor = await site.openLoggedIn('', nurse, phone);
  const { page, checkPage } = visitor;
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('button', { name: 'Search' }).tap();
  const field = page.getByRole('textbox', { name: 'Search' });
  await field.fill('s');
  await page.getByRole('dialog').getByRole('button', { name: 'Room 12, Süd' }).waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'search-nurse' }).count()).toBe(0);
  await checkPage('search-phone');
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
});
