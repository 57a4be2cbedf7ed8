import { afterAll, beforeAll, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { a, b } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { recordSound } from './fixtures/sound.ts';
import { checkLooks } from './fixtures/variants.ts';

const HOUR = 3_600_000;
const clock = skippingClock(Date.now());
let site: Site;
let sensor: Awaited<ReturnType<typeof linkSensor>>;
beforeAll(async () => {
  site = await startSite('display', { clock });
  const { client } = site.home;
  await createAlarm(client, site.receiver.url);
  await createAlarm(client, site.receiver.url, 'apnea');
  sensor = await linkSensor(client);
  const at = `/sensors/${sensor.sensorId}/maker_a/config/basic`;
  await client.ok('PUT', at, { ...(await client.ok<object>('GET', at)), name: 'Room 106, south wing' });
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, a.presence(true));
});
afterAll(() => site.stop());

test('a station screen can only acknowledge alarms, and asks for a name', async () => {
  const { username, password } = site.home;
  await using visitor = await site.open('', { expected: [/403/] });
  const { page } = visitor;
  await page.getByLabel('Username').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('checkbox', { name: /^This is a station screen/ }).check();
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'No open alarms' }).waitFor();
  const entries = await page.getByRole('navigation').getByRole('link').allTextContents();
  expect(entries).toEqual(['Station', 'Alarms', 'Handover', 'Rooms', 'Floor plan', 'Groups']);

  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, fallMessage('calling', Date.now()));
  await site.cloud.idle();
  // After a reload, the screen is still a display.
  await page.reload();
  await page.getByRole('listitem').getByText('Fall. Nobody is on it.').waitFor();
  await page.getByRole('button', { name: "I'm on it" }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Who is going?').fill('Anna Meier');
  await visitor.checkPage('display-name');
  await dialog.getByRole('button', { name: "I'm on it" }).click();
  await page.getByText('Anna Meier is on it').waitFor();
  expect(await page.getByRole('listitem').getByRole('button').count()).toBe(0);
  await visitor.checkPage('display');

  // Alarms other than falls are rule hits.
  const { sensorId, device } = await linkSensor(site.home.client, 'maker_b');
  await device.ok('POST', `/devices/${sensorId}/messages`, b.vital(13, 0, 60));
  await page.getByRole('listitem').filter({ hasText: 'Nobody is on it.' }).waitFor();
  await page.getByRole('button', { name: "I'm on it" }).click();
  await dialog.getByLabel('Who is going?').fill('Ben Otto');
  await dialog.getByRole('button', { name: "I'm on it" }).click();
  await page.getByText('Ben Otto is on it').waitFor();
  await page.goto(`${site.address}/rules`);
  await page.getByText('A station screen shows alarms, rooms and groups, nothing else.').waitFor();
});

test('warns an hour before the session ends, and then shows a login form', {
  timeout: 90_000,
}, async () => {
  await using visitor = await site.openLoggedIn('/groups', site.home, { expected: [/401/] });
  const { page } = visitor;
  const heard = await recordSound(visitor);
  await page.getByRole('heading', { name: 'Groups', level: 1 }).click();
  await page.getByRole('button', { name: 'Sound on' }).waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByRole('heading', { name: 'Groups', level: 1 }).click();
  await Promise.all([page.waitForResponse(/\/sessions/), page.clock.fastForward(31_000)]);
  const ending = page.getByText(/^Your session ends at /);
  expect(await ending.count()).toBe(0);
  await page.clock.setSystemTime(Date.now() + 23.2 * HOUR);
  await page.clock.fastForward(31_000);
  await ending.waitFor();
  await visitor.checkPage('session-ending');

  clock.skipTo(clock.now() + 25 * HOUR);
  await page.getByRole('heading', { name: 'NOT WATCHED' }).waitFor({ timeout: 20_000 });
  await page.getByText(/^Logged out at /).waitFor();
  await checkLooks(visitor, 'session-over');
  await page.clock.runFor(5_000);
  await expect.poll(async () => (await heard()).at(-1)).toMatchObject({ hertz: 330, gain: 0.5 });
  await page.getByLabel('Username').fill(site.home.username);
  await page.locator('input[name=password]').fill(site.home.password);
  await page.getByRole('button', { name: 'Log in and resume monitoring' }).click();
  await page.getByRole('heading', { name: 'Groups', level: 1 }).waitFor();
});
