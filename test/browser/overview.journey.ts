import { afterAll, beforeAll, expect, test } from 'vitest';
import { fallMessage, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { recordSound } from './fixtures/sound.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('overview');
});
afterAll(() => site.stop());

/** Reports a fall from a sensor. Returns a function that ends the fall. */
const fallOf = async ({ device, sensorId }: Awaited<ReturnType<typeof linkSensor>>) => {
  const start = Date.now();
  const say = async (status: string): Promise<void> => {
    await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage(status, start));
    await site.cloud.idle();
  };
  await say('calling');
  return () => say('finished');
};

test('sounds an alarm on every page until a fall is acknowledged, and again for a second fall', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn('/account');
  const { page } = visitor;
  const heard = await recordSound(visitor);
  await page.getByRole('heading', { level: 1 }).click();
  await page.getByRole('button', { name: 'Sound on' }).waitFor();
  expect(await heard()).toEqual([]);

  await fallOf(sensor);
  const bar = page.getByRole('region', { name: 'Alarms' });
  await bar.getByText('Fall. Nobody is on it.').waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
  await expect.poll(async () => (await heard()).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(8);
  const [first, second] = await heard();
  expect([first, second]).toMatchObject([
    { hertz: 880, gain: 0.4 },
    { hertz: 1_175, gain: 0.4 },
  ]);

  await bar.getByRole('button', { name: "I'm on it" }).click();
  await bar.getByText("You're on it").waitFor();
  const silent = (await heard()).length;
  await page.waitForResponse(/\/station$/);
  await page.waitForResponse(/\/station$/);
  expect((await heard()).length).toBe(silent);
  expect(await page.title()).not.toMatch(/^\(/);

  await fallOf(sensor);
  await bar.getByText('Fall. Nobody is on it.').waitFor();
  await expect.poll(async () => (await heard()).length).toBeGreaterThan(silent);
  await page.getByRole('link', { name: 'Station' }).click();
  await page.getByRole('listitem').getByText('2 falls').waitFor();
});

test('lists a closed fall that no rule reported', async () => {
  const sensor = await linkSensor(site.home.client);
  await using visitor = await site.openLoggedIn('', site.home, { before: (page) => page.clock.install() });
  const { page } = visitor;
  let calls = 0;
  page.on('response', (response) => {
    if (response.url().includes('/alarms?')) calls += 1;
  });
  const shift = page.getByRole('region', { name: 'This shift' });
  await shift.getByText('No alarms closed in the last 12 hours.').waitFor();
  await expect.poll(() => calls).toBe(1);

  await fallOf(sensor);
  const card = page
    .getByRole('region', { name: 'Alarms' })
    .locator('.room-call')
    .filter({ has: page.locator(`a[href*="${sensor.sensorId}"]`) });
  await card.getByRole('button', { name: "I'm on it" }).click();
  await card.getByRole('button', { name: 'Helped up' }).click();
  await card.waitFor({ state: 'detached' });
  expect(calls).toBe(1);
  await page.clock.fastForward(60_000);
  await shift.getByRole('listitem').getByText('Helped up').waitFor();
  expect(calls).toBe(2);
});
