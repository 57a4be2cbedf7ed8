import { afterAll, beforeAll, expect, test } from 'vitest';
import { hireFor } from '../fixtures/home.ts';
import { choose } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('juniper');
  await site.home.client.ok('POST', '/bots', { name: 'Night watch' });
});
afterAll(() => site.stop());

test('asks only for the settings a chat webhook needs, and delivers a test message', async () => {
  const { receiver, home } = site;
  await using visitor = await site.openLoggedIn('/webhooks/new');
  const { page, checkPage } = visitor;
  const auth = page.getByRole('combobox', { name: 'Authentication' });
  const sign = page.getByRole('switch', { name: 'Sign requests with a new secret' });
  const shown = () => Promise.all([auth.count(), sign.count()]);
  await page.getByLabel('Name').fill('Ward 2, chat');
  await page.getByLabel('URL').fill(receiver.url);
  await choose(page, 'Bot', 'Night watch');
  const format = page.getByRole('radiogroup', { name: 'Format' });
  const before = await shown();
  await format.getByText('Teams', { exact: true }).click();
  await page.getByText('For people: a card for a Microsoft Teams workflow webhook').waitFor();
  await page.locator('pre').getByText('"AdaptiveCard"').waitFor();
  expect([before, await shown()]).toEqual([
    [1, 1],
    [0, 0],
  ]);
  await format.getByText('Chat', { exact: true }).click();
  await page.getByText('For people: a message for a Slack').waitFor();
  await checkPage('webhook-for-a-chat');

  // A customer webhook cannot have these formats, but has all other settings.
  await page.getByText('All events of the customer', { exact: true }).click();
  expect([await format.getByText('Chat', { exact: true }).count(), await shown()]).toEqual([0, [1, 1]]);
  await page.getByText('What rules send to a bot', { exact: true }).click();
  await choose(page, 'Bot', 'Night watch');
  await format.getByText('Chat', { exact: true }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Open webhook' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  const [sent] = await receiver.until(1);
  expect(sent?.headers).not.toHaveProperty('authorization');
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({ text: 'Test' });
  const [page1] = await home.client.ok<{ data: object[] }[]>('GET', '/webhooks');
  expect(page1?.data).toMatchObject([{ format: 'chat', authMethod: 'none', hasSecretKey: false }]);
});

test('describes the chat format in German to a German user', async () => {
  const permissions = ['manage_bots' as const];
  const german = await hireFor(site.admin, site.home.customerId, 'juniper-german', { locale: 'de', permissions });
  await using visitor = await site.openLoggedIn('/webhooks/new', german);
  const { page } = visitor;
  await page.getByRole('radiogroup', { name: 'Format' }).getByText('Chat', { exact: true }).click();
  await page.getByText('Für Menschen: eine Nachricht für einen eingehenden Webhook von Slack').waitFor();
});
