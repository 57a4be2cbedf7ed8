import { afterAll, beforeAll, expect, test } from 'vitest';
import { store } from '#shared/store/store.ts';
import { fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { choose } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let site: Site;
let fall: () => Promise<void>;
beforeAll(async () => {
  site = await startSite('people-notified');
  const { admin, home, cloud } = site;
  const { client, customerId } = home;
  const anna = await hireFor(admin, customerId, 'anna', { firstName: 'Anna', lastName: 'Meier' });
  const channel = { by: 'email', address: 'anna@example.com', provenDate: Date.now() } as const;
  await store(cloud.runtime.table).channels.put({ customerId, userId: anna.id }, channel, null);
  const { sensorId, device } = await linkSensor(client);
  fall = async () => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
    await cloud.idle();
  };
});
afterAll(() => site.stop());

test('creates a rule that notifies a person and the people on duty', async () => {
  await using visitor = await site.openLoggedIn('/rules/new', site.home, { expected: [/400/] });
  const { page, checkPage } = visitor;
  await page.getByLabel('Name').first().fill('Falls to people');
  await choose(page, 'Person', 'Anna Meier');
  await choose(page, 'Channel', 'SMS');
  await page.getByRole('button', { name: 'Add person', exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is a channel this user has not confirmed').first().waitFor();
  await checkPage('rule-of-people-refused');
  await page.getByRole('combobox', { name: 'Recipients' }).press('Backspace');
  await page.keyboard.press('Escape');
  await choose(page, 'Channel', 'Email');
  await page.getByRole('button', { name: 'Add person', exact: true }).click();
  await choose(page, 'Person', 'People on duty');
  await page.getByRole('button', { name: 'Add person', exact: true }).click();
  await page
    .getByRole('region', { name: 'What this rule does' })
    .getByText('notifies Anna Meier (Email) and People on duty (Email)')
    .waitFor();
  await checkPage('rule-of-people');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'Falls to people' }).waitFor();
});

test.each([
  ['desktop', {}],
  ['phone', PHONE],
] as const)('names the person notified by a delivery, shows the text, and resends it: %s', async (kind, options) => {
  await fall();
  await using visitor = await site.openLoggedIn('/deliveries', site.home, options);
  const { page, checkPage } = visitor;
  await page
    .getByRole('row', { name: /Delivered/ })
    .first()
    .waitFor();
  if (kind === 'desktop') await page.getByText('Anna Meier (Email)').first().waitFor();
  await page
    .getByRole('row', { name: /Delivered/ })
    .first()
    .getByRole('link')
    .first()
    .click();
  const place = kind === 'desktop' ? page.getByRole('complementary', { name: 'Delivery' }) : page.getByRole('main');
  await place.getByText('Anna Meier (Email)').waitFor();
  await page.getByRole('region', { name: 'Attempts' }).getByText('Only a file on the server').waitFor();
  await page.getByRole('region', { name: 'Message' }).getByText('Sensor:').waitFor();
  await checkPage(`delivery-to-a-person-${kind}`);
  expect(decodeURIComponent(page.url())).toContain(kind === 'desktop' ? 'delivery=people/' : '/deliveries/people/');
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('The delivery is being resent.').waitFor();
});
