import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_PERMISSIONS, createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { choose } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
let sensorId: string;
beforeAll(async () => {
  site = await startSite('rowan');
  const { client } = site.home;
  for (let at = 0; at < 2; at++) await createAlarm(client, site.receiver.url);
  const sensor = await linkSensor(client);
  ({ sensorId } = sensor);
  for (const start of [1, 2]) {
    const fall = fallMessage('calling', Date.now() + start, { serial: 1 });
    // A number that browsers cannot parse exactly.
    const exact = JSON.stringify(fall).replace('"serial":1', '"serial":12345678901234567890');
    await sensor.device.ok('POST', `/devices/${sensorId}/messages`, exact);
    await site.cloud.idle();
  }
  await site.receiver.until(4);
  await site.cloud.idle();
});
afterAll(() => site.stop());

test('links a rule hit to its event, the event to its deliveries, and back again', { timeout: 60_000 }, async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=hits`);
  const { page, checkPage } = visitor;
  const hits = page.getByRole('table', { name: 'Rule hits' });
  await hits.getByRole('link', { name: 'Event' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Fall detected, /).waitFor();
  await dialog.locator('pre').getByText('"serial": 12345678901234567890').waitFor();
  await checkPage('event');
  await dialog.getByRole('link', { name: 'Show deliveries' }).click();
  await page.getByText('Only deliveries for one event are shown.').waitFor();
  await page.getByText('2 entries').waitFor();
  await checkPage('deliveries-of-event');

  await page.getByRole('table').getByRole('link').first().click();
  const about = page.locator('dl');
  await about.getByRole('link', { name: 'Fall detected', exact: true }).click();
  await dialog.getByText(/^Fall detected, /).waitFor();
  await page.goBack();
  await about.getByRole('link', { name: /^Sensor / }).click();
  await hits.getByRole('link', { name: 'Deliveries' }).first().click();
  await page.getByText('2 entries').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByText('4 entries').waitFor();
});

test('counts deliveries by status, and filters the list by status, period and receiver', async () => {
  await using visitor = await site.openLoggedIn('/deliveries');
  const { page } = visitor;
  await page.getByText('4 entries').waitFor();
  const statuses = page.getByRole('radiogroup', { name: 'Status' });
  await statuses.getByText(/^4 All$/).waitFor();
  await statuses.getByText(/^0 Failed$/).click();
  await page.getByText('No deliveries match these filters.').waitFor();
  await statuses.getByText(/^4 All$/).click();
  await choose(page, 'Period', 'Custom period');
  await page.getByLabel('From', { exact: true }).fill('2030-01-01T00:00');
  await page.getByText('No deliveries match these filters.').waitFor();
  await choose(page, 'Period', 'Last 7 days');
  await page.getByText('4 entries').waitFor();
  await page.getByRole('combobox', { name: 'Receiver' }).click();
  await page.getByRole('option').nth(1).click();
  await page.waitForURL(/\/deliveries\/[^/]+$/);
  await page.getByText('2 entries').waitFor();
});

test.each([
  ['wide', 1_440, 'light'],
  ['narrow', 390, 'dark'],
] as const)(
  "shows a delivery's attempts, request and response beside the list or on a separate page: %s",
  async (kind, width, colorScheme) => {
    const options = { viewport: { width, height: 900 }, colorScheme };
    await using visitor = await site.openLoggedIn('/deliveries', site.home, options);
    const { page, checkPage } = visitor;
    await page.getByRole('row').getByText('Delivered').first().waitFor();
    await checkPage(`deliveries-list-${kind}`);
    await page.getByRole('table').getByRole('link').first().click();
    const place = kind === 'wide' ? page.getByRole('complementary', { name: 'Delivery' }) : page.getByRole('main');
    await place.getByRole('heading', { name: /^Fall detected, Sensor / }).waitFor();
    await place.getByRole('region', { name: 'Attempts' }).getByText('HTTP status 200').waitFor();
    await place.getByRole('region', { name: 'Body' }).locator('pre').waitFor();
    await place.getByRole('link', { name: 'Open alarm' }).waitFor();
    await checkPage(`delivery-${kind}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    expect(new URL(page.url()).pathname.endsWith('/deliveries')).toBe(kind === 'wide');
    if (kind !== 'wide') return;
    await page.reload();
    await place.getByRole('button', { name: 'Close' }).click();
    await place.waitFor({ state: 'detached' });
  },
);

test('shows deliveries and new rules in German to a German user', async () => {
  const german = { locale: 'de', permissions: ALL_PERMISSIONS };
  const user = await hireFor(site.admin, site.home.customerId, 'nachtwache', german);
  await using visitor = await site.openLoggedIn('/deliveries', user);
  const { page, checkPage } = visitor;
  await page.getByRole('link', { name: 'Sturz erkannt', exact: true }).first().waitFor();
  await checkPage('german-deliveries');
  expect(await page.getByText('fall_detected', { exact: true }).count()).toBe(4);
  await page.goto(`${site.address}/rules/new`);
  await page.getByText('{situation}, {time}, {location}').waitFor();
});
