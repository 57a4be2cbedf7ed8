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
/** All that the browser asked for until now, in bytes as they came over the wire. */
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

test('20 loads with an empty cache, five at once from one address over 100 ms of latency, all draw the login', async () => {
  const loads: Load[] = [];
  for (let round = 0; round < 4; round++) loads.push(...(await Promise.all(Array.from({ length: 5 }, coldLoad))));
  const worst = (of: (load: Load) => number) => Math.max(...loads.map(of));
  note(
    `cold load: ${worst(({ requests }) => requests)} requests, ${Math.round(worst(({ bytes }) => bytes) / 1_000)} KB ` +
      `compressed, login drawn after at most ${Math.round(worst(({ ms }) => ms))} ms over 100 ms of latency`,
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
/** Refuses files of the console by their names. */
const refuse = (page: Page, names: RegExp) => page.route(names, (route) => route.fulfill(refused));
const asThoseFilesFail = {
  expected: [/429|Failed to load|Refused to (execute|apply)|a file of the console could not be loaded/],
};

test.each([
  ['script', /app\.\w+\.js$/],
  ['part of the script', /chunk\.\w+\.js$/],
  ['style', /app\.\w+\.css$/],
])('when its %s does not come, the page says so and lets people try again', async (_, names) => {
  await using visitor = await site.open('/sensors', { before: (page) => refuse(page, names), ...asThoseFilesFail });
  const { page } = visitor;
  await page.getByText('The console could not be loaded.').waitFor();
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/console\/sensors$/);
});

test('when the file of a page does not come, the navigation stays, and the page can be tried again', async () => {
  await using visitor = await site.openLoggedIn('', site.home, asThoseFilesFail);
  const { page } = visitor;
  await refuse(page, /later-pages\.\w+\.js$/);
  await page.getByRole('link', { name: 'Rules' }).click();
  // The page is loaded anew once by itself, in case that there is a newer console.
  await page.getByText('This part of the page could not be loaded.').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Sensors' }).click();
  await page.getByRole('heading', { name: 'Sensors', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
});
