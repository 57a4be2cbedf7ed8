import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { ALL_PERMISSIONS, createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('unwatched', { environment: { GONE_AFTER_SECONDS: '0' } });
});
afterAll(() => site.stop());

test('what is not watched is red on the overview, and nothing is green beside it', { timeout: 60_000 }, async () => {
  const { client, customerId } = site.home;
  // Somebody else than who changes things here: each has a limit of calls of its own.
  const watcher = await hireFor(site.admin, customerId, 'watcher', { permissions: ALL_PERMISSIONS });
  await using visitor = await site.openLoggedIn('', watcher);
  const { page, look } = visitor;
  const red = page.getByRole('region', { name: 'Not everything is watched' });
  const calm = page.getByRole('region', { name: 'Open alarms' }).getByRole('note');
  await calm.waitFor();
  // Without a sensor the list of first steps says what is missing.
  expect(await red.count()).toBe(0);
  const silent = await linkSensor(client);
  const heard = await linkSensor(client);
  await heard.device.ok('POST', `/devices/${heard.sensorId}/messages`, a.presence(true));
  await site.cloud.idle();
  await page.reload();
  await red.getByText('1 of 2 rooms is not watched: its sensor is offline.').waitFor();
  await red.getByRole('link', { name: /^Sensor \w{4}$/ }).waitFor();
  await red.getByText('No rule notifies anybody of a fall.').waitFor();
  await look('unwatched');
  const colour = () =>
    page.evaluate<string>(
      'getComputedStyle(document.querySelector("[aria-label=\'Open alarms\'] [role=note]")).backgroundColor',
    );
  const grey = await colour();

  const { bot, webhook, rule } = await createAlarm(client, site.receiver.url);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const fall = { name: 'Falls', title: '{sensor}', message: '{time}', situation: 'fall_detected', recipients };
  const change = (part: object) => client.ok('PUT', `/rules/${rule.id}`, { ...fall, ...part });
  await silent.device.ok('POST', `/devices/${silent.sensorId}/messages`, a.presence(false));
  await site.cloud.idle();
  // A rule for a part of a home need not cover all of it: nothing is known to be unwatched, and nothing is green.
  await change({ sensorId: heard.sensorId });
  // Before all is known it is grey as well.
  await page.reload({ waitUntil: 'networkidle' });
  expect([await red.count(), await colour()]).toEqual([0, grey]);
  await change({});
  await page.reload();
  await calm.waitFor();
  await expect.poll(colour).not.toBe(grey);
  expect(await red.count()).toBe(0);
  await look('watched');
});

test('a rule of falls whose receivers fail is red, and a webhook that was switched off until somebody has seen it', {
  timeout: 60_000,
}, async () => {
  const { client, customerId } = site.home;
  const gone = await startReceiver((_, response) => response.writeHead(410).end());
  const { rule } = await createAlarm(client, gone.url, 'fall_suspected', { name: 'Ward 3' });
  const sensor = await linkSensor(client);
  await client.ok('POST', '/bots', { name: 'Of nobody' });
  await using visitor = await site.openLoggedIn();
  const { page, look } = visitor;
  const red = page.getByRole('region', { name: 'Not everything is watched' });
  const { device, sensorId } = sensor;
  const tell = (message: object) => device.ok('POST', `/devices/${sensorId}/messages`, message);
  await tell(fallMessage('fall_detected', Date.now()));
  await site.cloud.idle();
  await page.reload();
  await red.getByRole('link', { name: 'fall_suspected' }).waitFor();
  await red.getByText('This fall rule reaches nobody').waitFor();
  const card = page.getByRole('region', { name: 'Open alarms' }).getByRole('listitem');
  await card
    .getByText(/Nurse call: not notified: 1 attempt/)
    .first()
    .waitFor();
  const troubles = page.getByRole('region', { name: 'Webhook problems' });
  await troubles.getByText('was disabled by the service').waitFor();
  await troubles.getByText('1 delivery failed permanently').waitFor();
  await look('troubles');

  // Whoever is there without any right sees the same, and says so for everybody.
  const guest = await hireFor(site.admin, customerId, 'guest');
  await using other = await site.openLoggedIn('', guest);
  await other.page.getByText('This fall rule reaches nobody').waitFor();
  const there = other.page.getByRole('region', { name: 'Webhook problems' });
  await other.look('troubles-of-a-guest');
  await there.getByRole('button', { name: 'Mark as seen: Ward 3' }).click();
  await there.waitFor({ state: 'detached' });
  await page.reload();
  await red.getByRole('link', { name: 'fall_suspected' }).waitFor();
  expect(await troubles.count()).toBe(0);
  await client.ok('DELETE', `/rules/${rule.id}`);
  await gone.stop();
});
