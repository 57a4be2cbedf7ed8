import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('reference');
});
afterAll(() => site.stop());

test('the API reference finds operations by words, and lists the webhooks', async () => {
  await using visitor = await site.open('/../docs');
  const { page } = visitor;
  const operations = page.locator('.wrapper .block .opblock-tag-section:not(.webhooks *) .opblock-summary-path');
  await page.locator('.operation-filter-input').fill('withdraw HIT', { timeout: 60_000 });
  await expect
    .poll(() => operations.allTextContents())
    .toContain('/customers/{customerId}/rule-hits/{ruleHitId}/acknowledgement');
  expect(await operations.allTextContents()).not.toContain('/sensors');
  await page.locator('.webhooks').getByText('full', { exact: true }).waitFor();
});
