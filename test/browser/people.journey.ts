import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { hireFor } from '../fixtures/home.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

const MARKUP = '<img src=x onerror=alert(1)> غرفة 病室';
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

let site: Site;
let sensorId: string;
beforeAll(async () => {
  site = await startSite('people');
  ({ sensorId } = await createRoom(site, MARKUP));
});
afterAll(() => site.stop());

test('fits the console on a phone, with all pages in a menu', async () => {
  await using visitor = await site.openLoggedIn('', site.home, PHONE);
  const { page } = visitor;
  await page.getByRole('region', { name: 'Alarms' }).getByRole('link', { name: MARKUP }).waitFor();
  await visitor.checkPage('phone-overview');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Rooms' }).click();
  await page.getByRole('table').getByRole('link', { name: MARKUP }).click();
  await page.getByRole('button', { name: 'Edit room' }).waitFor();
  await visitor.checkPage('phone-room');
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBe(PHONE.viewport.width);
});

test('moves a region by touch', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, site.home, PHONE);
  const { page, context } = visitor;
  await page.getByRole('button', { name: 'Edit room' }).click();
  const bed = page.getByRole('button', { name: /^Bed, / });
  // Scrolls the bed away from the tabs, which cover the bottom of the page.
  await bed.evaluate((region) => region.scrollIntoView({ block: 'center' }));
  const box = await bed.boundingBox();
  if (!box) throw new Error('there is no bed');
  const screen = await context.newCDPSession(page);
  const touch = (type: string, by: number) =>
    screen.send('Input.dispatchTouchEvent', {
      type: type as 'touchStart',
      touchPoints: type === 'touchEnd' ? [] : [{ x: box.x + 40 + by, y: box.y + 60 }],
    });
  await touch('touchStart', 0);
  await touch('touchMove', 30);
  await touch('touchMove', 60);
  await touch('touchEnd', 60);
  await page.getByRole('textbox', { name: 'Left edge' }).waitFor();
  const left = Number(await page.getByRole('textbox', { name: 'Left edge' }).inputValue());
  expect(left).toBeGreaterThan(-140);
});

test('shows markup in names as plain text', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`);
  await visitor.page.getByRole('heading', { name: MARKUP }).waitFor();
  expect(await visitor.page.locator('main img').count()).toBe(0);
});

test('does not offer editing to a user without permissions', async () => {
  const guest = await hireFor(site.admin, site.home.customerId, 'guest');
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, guest);
  const { page } = visitor;
  await page.getByText('Dots: recent events').waitFor();
  expect(await page.getByRole('button', { name: 'Edit room' }).count()).toBe(0);
  await page.getByRole('tab', { name: 'Configuration' }).click();
  await page.getByText("You don't have access to the configuration").waitFor();
  await page.getByRole('link', { name: 'Station' }).click();
  await page.getByRole('region', { name: 'This shift' }).waitFor();
});

test('lets a system admin choose a customer', async () => {
  await site.admin.ok('POST', '/customers', { name: 'Elm House', location: '', email: '' });
  await using visitor = await site.openLoggedIn('', { username: 'admin', password: ADMIN_PASSWORD });
  const { page } = visitor;
  await page.getByText('Choose a customer').waitFor();
  await page.getByRole('combobox', { name: 'Customer' }).click();
  await page.getByRole('option', { name: 'people' }).click();
  await page.getByRole('region', { name: 'Alarms' }).getByRole('link', { name: MARKUP }).waitFor();
  await visitor.checkPage('admin-overview');
});

test('shows German text to a German user, even in the dark theme', async () => {
  const { username, password } = await hireFor(site.admin, site.home.customerId, 'schwester', { locale: 'de' });
  const dark = { locale: 'de-DE', colorScheme: 'dark' as const };
  await using visitor = await site.open(`/sensors/${sensorId}`, dark);
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  await page.getByLabel('Benutzername').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByText('Punkte: letzte Ereignisse').waitFor();
  await visitor.checkPage('german-dark-room');
  await page.getByRole('link', { name: 'Station' }).click();
  await page.getByRole('region', { name: 'Alarme' }).getByRole('link', { name: MARKUP }).waitFor();
  await visitor.checkPage('german-dark-overview');
});

test.each(['en-US@posix', '', 'x'])('falls back to English for the browser language %j', async (language) => {
  await using visitor = await site.openLoggedIn('/account');
  const { page, context } = visitor;
  await context.addInitScript((wrong) => {
    const own = { language: wrong, languages: [wrong] };
    for (const [name, value] of Object.entries(own))
      Object.defineProperty(Object.getPrototypeOf(navigator), name, { get: () => value, configurable: true });
  }, language);
  await page.goto(site.address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('region', { name: 'This shift' }).waitFor();
});
