import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { note } from './fixtures/measured.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('alder');
});
afterAll(() => site.stop());

type Load = { requests: number; bytes: number; ms: number; statuses: number[] };
/** Everything the browser has requested so far, in bytes on the wire. */
const LOADED = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return {
    requests: all.length,
    bytes: all.reduce((sum, one) => sum + one.encodedBodySize, 0),
    statuses: [...new Set(all.map((one) => one.responseStatus))],
    ms: performance.now(),
  };
})()`;

const coldLoad = async (): Promise<Load> => {
  await using visitor = await site.open('', { latencyMs: 100 });
  await visitor.page.getByRole('button', { name: 'Log in' }).waitFor();
  const load = await visitor.page.evaluate<Load>(LOADED);
  return load;
};

test('loads the login page 20 times without a cache, five at once, with 100 ms latency', async () => {
  const loads: Load[] = [];
  for (let round = 0; round < 4; round++) loads.push(...(await Promise.all(Array.from({ length: 5 }, coldLoad))));
  const worst = (select: (load: Load) => number) => Math.max(...loads.map(select));
  note(
    `cold load: ${worst(({ requests }) => requests)} requests, ${Math.round(worst(({ bytes }) => bytes) / 1_000)} KB ` +
      `compressed, login shown after at most ${Math.round(worst(({ ms }) => ms))} ms at 100 ms latency`,
  );
  expect(loads).toHaveLength(20);
  expect(loads.flatMap(({ statuses }) => statuses).every((status) => status === 200)).toBe(true);
  expect(worst(({ requests }) => requests)).toBeLessThanOrEqual(8);
  expect(worst(({ bytes }) => bytes)).toBeLessThanOrEqual(300_000);
});

const refused = {
  status: 429,
  contentType: 'application/json',
  body: '{"message":"Too many requests","statusCode":429}',
};
/** Refuses requests for console files by name. */
const refuse = (page: Page, names: RegExp) => page.route(names, (route) => route.fulfill(refused));
const withFailedFiles = {
  expected: [/429|Failed to load|Refused to (execute|apply)|a file of the console could not be loaded/],
};

test.each([
  ['script', /app\.\w+\.js$/],
  ['script chunk', /chunk\.\w+\.js$/],
  ['style sheet', /app\.\w+\.css$/],
])('offers to try again when the console %s cannot be loaded', async (_, names) => {
  await using visitor = await site.open('/sensors', { before: (page) => refuse(page, names), ...withFailedFiles });
  const { page } = visitor;
  await page.getByText('The console could not be loaded.').waitFor();
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/console\/sensors$/);
});

test('keeps the navigation when a page file cannot be loaded, and offers to try again', async () => {
  await using visitor = await site.openLoggedIn('', site.home, withFailedFiles);
  const { page } = visitor;
  await refuse(page, /lazy-pages\.\w+\.js$/);
  await page.getByRole('link', { name: 'Rules' }).click();
  // The page reloads itself once, in case there is a newer console.
  await page.getByText('This part of the page could not be loaded.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Station' }).click();
  await page.getByRole('heading', { name: 'No rooms yet', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
});
