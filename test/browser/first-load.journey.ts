import { afterAll, beforeAll, expect, test } from 'vitest';
import { note } from './fixtures/measured.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('birch');
  await createRoom(site);
});
afterAll(() => site.stop());

/** The files and API responses the browser has loaded so far, in bytes on the wire. */
const LOADED = `(() => {
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const bytes = (wanted) => all.filter(({ name }) => wanted(name)).reduce((sum, one) => sum + one.encodedBodySize, 0);
  const isFile = (name) => name.includes('/console');
  return { files: bytes(isFile), calls: bytes((name) => !isFile(name)), ms: performance.now() };
})()`;
type Loaded = { files: number; calls: number; ms: number };

test('loads at most 300 KB before an open fall is visible', async () => {
  await using visitor = await site.open();
  await visitor.page.getByRole('button', { name: 'Log in' }).waitFor();
  const login = await visitor.page.evaluate<Loaded>(LOADED);

  await using nurse = await site.openLoggedIn('/account');
  await nurse.page.goto(site.address);
  await nurse.page.getByRole('listitem').getByText('Somebody is on the floor').waitFor();
  const overview = await nurse.page.evaluate<Loaded>(LOADED);

  const inKB = (bytes: number) => Math.round(bytes / 1_000);
  note(`first load: login ${inKB(login.files)} KB compressed, usable after ${Math.round(login.ms)} ms`);
  note(`overview: open fall visible after ${Math.round(overview.ms)} ms, ${inKB(overview.calls)} KB of calls`);
  expect(login.files).toBeGreaterThan(100_000);
  expect(login.files).toBeLessThanOrEqual(300_000);
  expect(overview.files).toBeLessThanOrEqual(300_000);
});
