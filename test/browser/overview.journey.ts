import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import type { Visitor } from './fixtures/visitor.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('overview');
});
afterAll(() => site.stop());

/** Reports a fall of a sensor that no rule watches. Returns a function that ends the fall. */
const fallOf = async ({ device, sensorId }: Awaited<ReturnType<typeof linkSensor>>) => {
  const start = Date.now();
  const say = async (status: string): Promise<void> => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage(status, start));
    await site.cloud.idle();
  };
  await say('calling');
  return () => say('finished');
};

/** Counts the tones that a page plays. */
const tonesOf = async ({ context, page }: Visitor) => {
  await context.addInitScript(`
    globalThis.tones = 0;
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...times) {
      globalThis.tones++;
      return start.apply(this, times);
    };
  `);
  await page.reload();
  return () => page.evaluate<number>('globalThis.tones');
};

test('shows a fall that no rule watches, in the title and by sound, until it is over', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn();
  const { page } = visitor;
  const tones = await tonesOf(visitor);
  const floor = page.getByRole('region', { name: 'Open alarms' });
  await floor.getByText('Nobody detected on the floor.').waitFor();
  expect(await page.title()).toBe('Station · Sensor Cloud');
  await floor.getByRole('switch', { name: 'Sound for new alarms' }).check();

  const end = await fallOf(sensor);
  await floor.getByRole('listitem').getByText('Somebody is on the floor').waitFor();
  expect(await page.title()).toBe('(1) Station · Sensor Cloud');
  expect(await tones()).toBe(1);

  // Another message about the same fall is not new; another fall of the same sensor is.
  await page.waitForResponse(/open-falls/);
  expect(await tones()).toBe(1);
  const endSecond = await fallOf(sensor);
  await floor.getByRole('listitem').nth(1).waitFor();
  expect(await page.title()).toBe('(2) Station · Sensor Cloud');
  // There is one tone for each open alarm.
  expect(await tones()).toBe(3);

  // Browsers block sound until the user interacts with the page, which the page reports. A query of the driver counts as
  // an interaction, so it must come after the page has opened its audio output.
  await Promise.all([page.waitForResponse(/open-falls/), page.reload()]);
  const blocked = page.getByText('Your browser blocks sound.');
  await blocked.waitFor();
  await page.getByRole('heading', { name: 'Station' }).click();
  await blocked.waitFor({ state: 'detached' });

  await end();
  await endSecond();
  await floor.getByText('Nobody detected on the floor.').waitFor();
  expect(await page.title()).toBe('Station · Sensor Cloud');
  expect(await tones()).toBe(0);
});

test('shows a new fall without sound when sound is off', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn();
  const tones = await tonesOf(visitor);
  await visitor.page.getByText('Nobody detected on the floor.').waitFor();
  const end = await fallOf(sensor);
  await visitor.page.getByText('Somebody is on the floor').waitFor();
  expect(await tones()).toBe(0);
  await end();
});
