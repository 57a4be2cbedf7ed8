import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '#lib/home/receiver.ts';
import type { Cloud } from '#lib/local/cloud.ts';
import { clientOf, register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY, startTestCloud } from '../fixtures/cloud.ts';
import { fallMessage, nextHardwareId } from '../fixtures/home.ts';
import { choose } from './fixtures/fields.ts';
import { checkLooks } from './fixtures/variants.ts';
import { logInOn, type Visitor, visit } from './fixtures/visitor.ts';

let cloud: Cloud;
let receiver: Receiver;
beforeAll(async () => {
  [cloud, receiver] = await Promise.all([startTestCloud({ differing: [] }), startReceiver()]);
});
afterAll(() => Promise.all([cloud.stop(), receiver.stop()]));

/** Starts the next step in the checklist, after checking which steps are done. */
const startStep = async ({ page }: Visitor, done: readonly string[], next: string) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Station' }).click();
  const list = page.getByRole('region', { name: 'Your first alarm' });
  for (const step of done) await list.getByRole('listitem').filter({ hasText: step }).getByText('done').waitFor();
  await list.getByRole('link', { name: `Start: ${next}` }).click();
};

/** Links a device using its pairing code, after entering a wrong code. */
const linkSensor = async ({ page, checkPage }: Visitor) => {
  const device = await register(clientOf(cloud.url), PROVISIONING_KEY, nextHardwareId());
  await page.getByRole('button', { name: 'Link a sensor' }).click();
  const code = page.getByRole('textbox', { name: 'Pairing code' });
  const dialog = page.getByRole('dialog');
  await code.fill('22222222');
  await dialog.getByRole('button', { name: 'Link a sensor' }).click();
  await dialog.getByText('The pairing code is not valid').waitFor();
  expect(await code.getAttribute('aria-invalid')).toBe('true');
  await checkPage('link-wrong');
  // The code is typed with a space, because it is printed in groups.
  await code.fill(device.pairingCode.replace(/^(....)/, '$1 '));
  await dialog.getByRole('button', { name: 'Link a sensor' }).click();
  await dialog.getByRole('button', { name: 'Later' }).click();
  await page.getByRole('table').getByRole('link').first().waitFor();
  return device;
};

test('a checklist leads from an empty service to the first alarm', {
  timeout: 120_000,
}, async () => {
  await using visitor = await visit(`${cloud.url}/console`, { expected: [/404/] });
  const { page, checkPage } = visitor;
  await logInOn(page, { username: 'admin', password: ADMIN_PASSWORD });
  await page.getByRole('region', { name: 'Your first alarm' }).waitFor();
  await checkPage('setup');
  await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click();
  await page.getByText('No customers yet').waitFor();
  expect(await page.getByText('Choose a customer').count()).toBe(0);

  await startStep(visitor, [], 'Create a customer');
  await page.getByLabel('Name').fill('Maple House');
  await page.getByRole('button', { name: 'Save' }).click();
  await startStep(visitor, ['Create a customer'], 'Link a sensor');
  const device = await linkSensor(visitor);
  await page.getByRole('navigation').getByRole('link', { name: 'Station' }).click();
  await page.getByRole('region', { name: 'How it will look' }).waitFor();
  await checkLooks(visitor, 'setup-linked');
  await startStep(visitor, ['Create a customer', 'Link a sensor'], 'Create a bot');
  await page.getByRole('button', { name: 'New bot' }).click();
  await page.getByLabel('Name').fill('Nurse call');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Nurse call' }).waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click();
  await page.getByRole('link', { name: 'New rule' }).click();
  await page.getByLabel('Name').fill('Falls');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('No bot has a webhook yet.').waitFor();
  await startStep(visitor, ['Link a sensor', 'Create a bot'], 'Add a webhook to the bot');
  await page.getByLabel('Name').fill('Ward 2');
  await page.getByLabel('URL').fill(receiver.url);
  await choose(page, 'Bot', 'Nurse call');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('[data-secret]').first().waitFor();
  await startStep(visitor, ['Add a webhook to the bot'], 'Create a fall rule');
  await page.getByLabel('Name').fill('Falls');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Choose at least one recipient.').waitFor();
  await checkPage('rule-for-nobody');
  await choose(page, 'Recipients', 'Ward 2');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'Falls', exact: true }).waitFor();
  await startStep(visitor, ['Create a fall rule'], 'Create a rule for offline sensors');
  await page.getByLabel('Name').fill('Offline');
  await choose(page, 'Recipients', 'Ward 2');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row').filter({ hasText: 'Offline' }).getByText('Sensor offline').waitFor();

  await page.getByRole('navigation').getByRole('link', { name: 'Station' }).click();
  await page.getByRole('region', { name: 'Alarms', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Your first alarm' }).waitFor({ state: 'detached' });
  const deviceClient = clientOf(cloud.url).as(device.deviceToken);
  await deviceClient.ok('POST', `/devices/${device.sensorId}/messages`, fallMessage('calling', Date.now()));
  expect((await receiver.until(1)).length).toBe(1);
});
