import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import type { Visitor } from './fixtures/visitor.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('overview');
});
afterAll(() => site.stop());

/** Tells of a fall of a sensor that no rule watches; gives how it is ended. */
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

test('a fall that no rule watches is on the overview, in its title and to be heard, until it is over', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn();
  const { page } = visitor;
  const tones = await tonesOf(visitor);
  const floor = page.getByRole('region', { name: 'Open alarms' });
  await floor.getByText('Nobody detected on the floor.').waitFor();
  expect(await page.title()).toBe('Overview · Sensor Cloud');
  await floor.getByRole('switch', { name: 'Sound for new alarms' }).check();

  const end = await fallOf(sensor);
  await floor.getByRole('listitem').getByText('Somebody is on the floor').waitFor();
  expect(await page.title()).toBe('(1) Overview · Sensor Cloud');
  expect(await tones()).toBe(1);

  // The same fall again is nothing new, another of the same sensor is.
  await page.waitForResponse(/open-falls/);
  expect(await tones()).toBe(1);
  const endSecond = await fallOf(sensor);
  await floor.getByRole('listitem').nth(1).waitFor();
  expect(await page.title()).toBe('(2) Overview · Sensor Cloud');
  // It is told by as many tones as alarms are open.
  expect(await tones()).toBe(3);

  // A browser plays nothing on a page that nobody has touched: then it is said. The driver's own look at a page counts
  // as a touch, so it has to come after the page has asked for its audio output.
  await Promise.all([page.waitForResponse(/open-falls/), page.reload()]);
  const blocked = page.getByText('Your browser blocks sound.');
  await blocked.waitFor();
  await page.getByRole('heading', { name: 'Overview' }).click();
  await blocked.waitFor({ state: 'detached' });

  await end();
  await endSecond();
  await floor.getByText('Nobody detected on the floor.').waitFor();
  expect(await page.title()).toBe('Overview · Sensor Cloud');
  expect(await tones()).toBe(0);
});

test('without the option a new fall is seen and not heard', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn();
  const tones = await tonesOf(visitor);
  await visitor.page.getByText('Nobody detected on the floor.').waitFor();
  const end = await fallOf(sensor);
  await visitor.page.getByText('Somebody is on the floor').waitFor();
  expect(await tones()).toBe(0);
  await end();
});
