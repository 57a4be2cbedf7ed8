import { afterAll, beforeAll, expect, test } from 'vitest';
import { choose } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('rowan');
});
afterAll(() => site.stop());

type FedEvent = { id: string; headers: Record<string, string> };

test('creates a feed webhook with filters, and delivers a test message through the feed', async () => {
  const { home } = site;
  await using visitor = await site.openLoggedIn('/webhooks/new');
  const { page, checkPage } = visitor;
  await page.getByLabel('Name').fill('Nurse call server');
  await page
    .getByRole('radiogroup', { name: 'Delivery method' })
    .getByText('Your system fetches', { exact: true })
    .click();
  await page.getByText('No URL is needed').waitFor();
  expect(await page.getByLabel('URL', { exact: true }).count()).toBe(0);
  await page.getByText('All events of the customer', { exact: true }).click();
  await choose(page, 'Only these situations', 'Fall detected');
  await page.keyboard.press('Escape');
  await checkPage('fetched-new');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Open webhook' }).waitFor();
  const token = (await page.locator('[data-secret]').first().textContent()) ?? '';
  await page.getByRole('link', { name: 'Open webhook' }).click();
  const feed = (await page.getByText(/webhooks\/.+\/feed$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByText('Waiting for the test to be fetched').waitFor();
  const fetchFeed = async (query: string): Promise<FedEvent[]> => {
    const answer = await fetch(`${feed}${query}`, { headers: { authorization: `Bearer ${token.trim()}` } });
    return (await answer.json()) as FedEvent[];
  };
  const [fed] = await fetchFeed('?wait=5');
  expect(fed?.headers['X-Service-Cloud-Test']).toBe('true');
  await fetchFeed(`?after=${fed?.id}`);
  await page.getByText('The test was fetched.').waitFor();
  await page.getByText('Last fetch').waitFor();
  await checkPage('fetched');
  const [list] = await home.client.ok<{ data: object[] }[]>('GET', '/webhooks');
  expect(list?.data).toMatchObject([{ url: null, situations: ['fall_detected'], isCustomerHook: true }]);

  // Disabling and re-enabling the webhook keeps the filters and the delivery method.
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
  const [after] = await home.client.ok<{ data: object[] }[]>('GET', '/webhooks');
  expect(after?.data).toMatchObject([{ url: null, situations: ['fall_detected'], isEnabled: true }]);
});
