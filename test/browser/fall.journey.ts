import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallMessage } from '../fixtures/home.ts';
import { choose } from './fixtures/fields.ts';
import { registerDevice, type Site, startSite } from './fixtures/site.ts';
import { logInOn, type Visitor } from './fixtures/visitor.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('maple');
});
afterAll(() => site.stop());

/** Links a sensor using its pairing code, and draws a bed in the room. Returns the device. */
const linkSensor = async ({ page }: Visitor) => {
  const { sensorId, pairingCode, deviceToken } = await registerDevice(site);
  await page.getByRole('link', { name: 'Rooms', exact: true }).click();
  await page.getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByRole('textbox', { name: 'Pairing code' }).fill(pairingCode);
  await page.getByRole('dialog').getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Later' }).click();
  await page.getByRole('cell').getByRole('link').click();
  await page.getByRole('button', { name: 'Edit room' }).click();
  const box = (await page.locator('rect.ground').boundingBox()) ?? expect.unreachable('the room is missing');
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.8);
  await page.mouse.up();
  await page.getByRole('textbox', { name: 'Name' }).fill('Bed');
  await page.getByRole('button', { name: 'Save room' }).click();
  await page.getByText('Room saved.').waitFor();
  return { device: site.home.client.as(deviceToken), sensorId };
};

/** Creates a bot with a webhook. Returns the token and secret, which are shown once. */
const createWebhook = async ({ page, checkPage }: Visitor, url: string) => {
  await page.getByRole('link', { name: 'Bots' }).click();
  await page.getByRole('button', { name: 'New bot' }).click();
  await page.getByLabel('Name').fill('Nurse call');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Nurse call' }).waitFor();
  await checkPage('bots');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('link', { name: 'New webhook' }).click();
  await page.getByLabel('Name').fill('Ward 2');
  await page.getByLabel('URL').fill(url);
  await choose(page, 'Bot', 'Nurse call');
  await page.getByText('"fall_detected"').first().waitFor();
  await checkPage('new-webhook');
  await page.getByRole('button', { name: 'Create' }).click();
  const shown = page.locator('[data-secret]');
  await shown.nth(1).waitFor();
  await checkPage('webhook-secrets');
  const [token = '', secret = ''] = await shown.allTextContents();
  return { token, secret };
};

const createRule = async ({ page, checkPage }: Visitor) => {
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Name').fill('Falls at night');
  await page.getByRole('switch', { name: 'Only at certain times' }).check();
  await page.getByLabel('From').fill('00:00');
  await page.getByLabel(/^To \*/).fill('00:00');
  await choose(page, 'Recipients', 'Ward 2');
  await page.keyboard.press('Escape');
  const sentence = page.getByRole('region', { name: 'What this rule does' });
  await sentence.getByText('notifies Ward 2').waitFor();
  expect(await sentence.textContent()).toBe(
    '“Fall detected” at any sensor, every day all day (Europe/Berlin), notifies Ward 2, then pauses for 1 minute.',
  );
  await checkPage('new-rule');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Falls at night', exact: true }).waitFor();
  await checkPage('rules');
};

test('guides a new user from the first login to a delivered fall', {
  timeout: 90_000,
}, async () => {
  const { home, receiver } = site;
  await using visitor = await site.open();
  const { page, checkPage } = visitor;
  await logInOn(page, home);
  const { device, sensorId } = await linkSensor(visitor);
  const { token, secret } = await createWebhook(visitor, receiver.url);
  await createRule(visitor);

  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  const [received] = await receiver.until(1);
  expect(received?.headers.authorization).toBe(`Bearer ${token}`);

  await page.getByRole('link', { name: 'Station' }).click();
  await page.getByRole('listitem').getByText('Somebody is on the floor').waitFor();
  await page.getByRole('link', { name: 'Deliveries' }).click();
  await page.getByRole('link', { name: 'Fall detected', exact: true }).waitFor();
  await page.getByRole('table').getByText('Falls at night').waitFor();
  await page.getByText('Delivered').first().waitFor();
  await checkPage('deliveries');
  await page.getByRole('table').getByRole('link').first().click();
  const body = page.getByRole('region', { name: 'Body' }).locator('pre');
  await body.waitFor();
  // The link acknowledges the alarm without a login, so the page does not show it.
  const shown = { ...JSON.parse(received?.body ?? ''), acknowledgeUrl: null };
  expect(await body.textContent()).toBe(JSON.stringify(shown, null, 2));
  await checkPage('delivery');

  const code = await page.getByRole('region', { name: 'Verify the signature' }).locator('pre').textContent();
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(code ?? '')}`);
  expect(isGenuine(received?.headers, received?.body, secret)).toBe(true);
  expect(isGenuine(received?.headers, `${received?.body} `, secret)).toBe(false);
});
