import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXAMPLE_TIME } from '#shared/domain/makers/message-fields.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('reference');
});
afterAll(() => site.stop());

test('the API reference finds operations by keyword, and lists the webhooks', async () => {
  await using visitor = await site.open('/../docs');
  const { page } = visitor;
  const operations = page.locator('.wrapper .block .opblock-tag-section:not(.webhooks *) .opblock-summary-path');
  await page.getByText('To begin, log in').waitFor({ timeout: 60_000 });
  const search = page.getByRole('searchbox', { name: 'Find operations' });
  await search.fill('withdraw HIT');
  await expect
    .poll(() => operations.allTextContents())
    .toContain('/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement');
  expect(await operations.allTextContents()).not.toContain('/sensors');
  await search.fill('');
  await page.locator('[data-path="/users/login"]').waitFor({ timeout: 30_000 });
  await page.locator('.webhooks').getByText('full', { exact: true }).waitFor();
});

test('the API reference sends a pasted token with every request', async () => {
  await using visitor = await site.open('/../docs');
  const { page } = visitor;
  const search = page.getByRole('searchbox', { name: 'Find operations' });
  const operation = (id: string) => page.locator(`[id$="-${id}"]`);
  const status = (id: string) => operation(id).locator('.live-responses-table tbody .response-col_status').first();
  const open = async (id: string) => {
    await search.fill(id, { timeout: 60_000 });
    await operation(id).locator('.opblock-summary-control').click();
    await operation(id).getByRole('button', { name: 'Try it out' }).click();
  };
  await page.getByRole('button', { name: 'Authorize' }).first().click({ timeout: 60_000 });
  await page
    .getByLabel('auth-bearer-value')
    .first()
    .fill(site.home.client.token ?? '');
  await page.locator('.auth-container').first().getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close' }).first().click();

  for (const id of ['listSensors', 'listRules']) {
    await open(id);
    await operation(id).getByRole('button', { name: 'Execute' }).click();
    await expect.poll(() => status(id).textContent(), { timeout: 15_000 }).toContain('200');
  }
  await open('createBot');
  expect(JSON.parse(await operation('createBot').locator('textarea').inputValue())).toMatchObject({ locale: 'de' });
  await operation('createBot').getByRole('button', { name: 'Execute' }).click();
  await expect.poll(() => status('createBot').textContent(), { timeout: 15_000 }).toContain('201');

  await open('postMessages');
  const body = operation('postMessages').locator('textarea');
  const isCurrent = async () => {
    const { type, payload } = JSON.parse(await body.inputValue()) as { type: number; payload: { timestamp: number } };
    return type === 5 && payload.timestamp > EXAMPLE_TIME + 86_400_000;
  };
  await operation('postMessages').locator('.examples-select-element').first().selectOption('MakerAFallMessage');
  await expect.poll(isCurrent, { timeout: 30_000 }).toBe(true);
});
