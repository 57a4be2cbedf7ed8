import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlarm, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('unwatched');
});
afterAll(() => site.stop());

test('what is not watched is red on the overview, and nothing is green beside it', { timeout: 60_000 }, async () => {
  const { client } = site.home;
  await using visitor = await site.openLoggedIn();
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
  await red.getByText('1 of 2 rooms is not watched: nothing is heard of its sensor.').waitFor();
  await red.getByText('No rule tells anybody of a fall.').waitFor();
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
