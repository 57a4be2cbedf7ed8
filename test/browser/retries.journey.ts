import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('waiting');
});
afterAll(() => site.stop());

/** Responds to requests like an overloaded or failing service. Returns a function that counts the responses. */
const failCalls = async (page: Page, calls: string, status: number, times: number) => {
  const body = JSON.stringify({ message: 'later', statusCode: status });
  const answer = { status, headers: { 'Retry-After': '1' }, contentType: 'application/json', body };
  let count = 0;
  const fail = (route: Route) => {
    count += 1;
    return route.fulfill(answer);
  };
  await page.route(calls, fail, { times });
  return () => count;
};

test('silently retries requests after 429 and 503 responses', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/429|503/] });
  const { page } = visitor;
  const hits = await failCalls(page, '**/rule-hits*', 429, 2);
  const station = await failCalls(page, '**/station', 503, 1);
  await page.getByRole('link', { name: 'Station' }).click();
  await page.getByRole('heading', { name: 'No rooms yet' }).waitFor();
  expect([hits(), station()]).toEqual([2, 1]);
  expect(await page.getByRole('alert').filter({ hasText: "That didn't work" }).count()).toBe(0);
});

test("shows an error where the failed request's data would be, and offers to try again", async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  await failCalls(page, '**/sensor-groups*', 500, 1);
  await page.getByRole('link', { name: 'Groups' }).click();
  const main = page.getByRole('main');
  await main.getByRole('alert').waitFor();
  await visitor.checkPage('part-failed');
  await main.getByRole('button', { name: 'Try again' }).click();
  await main.getByText('No groups yet').waitFor();
});

test('does not repeat a write after a 503 response', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/503/] });
  const { page } = visitor;
  // Otherwise, the list's first read could use up the failures.
  await page.getByText('No access tokens yet.').waitFor();
  const tokens = await failCalls(page, '**/access-tokens', 503, 2);
  await page.getByRole('button', { name: 'New access token' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Dashboard');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText("That didn't work").first().waitFor();
  expect(tokens()).toBeGreaterThan(0);
  expect(await site.home.client.ok('GET', '/users/me/access-tokens')).toEqual([]);
});
