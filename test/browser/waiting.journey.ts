import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('waiting');
});
afterAll(() => site.stop());

/** Answers calls as a service does that is asked too much, or whose table is away; gives how often it did. */
const putOff = async (page: Page, calls: string, status: number, times: number) => {
  const body = JSON.stringify({ message: 'later', statusCode: status });
  const answer = { status, headers: { 'Retry-After': '1' }, contentType: 'application/json', body };
  let count = 0;
  const delay = (route: Route) => {
    count += 1;
    return route.fulfill(answer);
  };
  await page.route(calls, delay, { times });
  return () => count;
};

test('what the service puts off is asked again without a word', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/429|503/] });
  const { page } = visitor;
  const hits = await putOff(page, '**/rule-hits*', 429, 2);
  const webhooks = await putOff(page, '**/webhooks*', 503, 1);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Nobody detected on the floor.').waitFor();
  await page.getByText('All webhooks are healthy.').waitFor();
  expect([hits(), webhooks()]).toEqual([2, 1]);
  expect(await page.getByRole('alert').filter({ hasText: "That didn't work" }).count()).toBe(0);
});

test('what fails for good is said where it belongs, and can be tried again', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  await putOff(page, '**/webhooks*', 500, 1);
  await page.getByRole('link', { name: 'Overview' }).click();
  const failing = page.getByRole('region', { name: 'Failing webhooks' });
  await failing.getByRole('alert').waitFor();
  await visitor.look('part-failed');
  await failing.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('All webhooks are healthy.').waitFor();
});

test('a write that was put off is not sent twice', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/503/] });
  const { page } = visitor;
  const tokens = await putOff(page, '**/access-tokens', 503, 2);
  await page.getByRole('button', { name: 'New access token' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Dashboard');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText("That didn't work").first().waitFor();
  expect(tokens()).toBeGreaterThan(0);
  expect(await site.home.client.ok('GET', '/users/me/access-tokens')).toEqual([]);
});
