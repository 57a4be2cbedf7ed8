import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '#lib/home/receiver.ts';
import { skippingClock } from '#lib/local/clock.ts';
import { ALL_PERMISSIONS, createAlarm, createHome, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

const clock = skippingClock(Date.now());
let site: Site;
beforeAll(async () => {
  const environment = { GONE_AFTER_SECONDS: '0', PUSH_CONTACT: 'mailto:push@example.org' };
  site = await startSite('unwatched', { clock, environment });
});
/** Waits a minute, after which the watch is computed again. */
const passMinute = async () => {
  await site.cloud.idle();
  clock.skipTo(clock.now() + 60_000);
};
afterAll(() => site.stop());

test('names what is not watched, and shows only watched rooms as calm', { timeout: 60_000 }, async () => {
  const { client, customerId } = site.home;
  // Not the user who makes the changes, because each user has a separate rate limit.
  const watcher = await hireFor(site.admin, customerId, 'watcher', { permissions: ALL_PERMISSIONS });
  await using visitor = await site.openLoggedIn('', watcher);
  const { page, checkPage } = visitor;
  const gaps = page.getByRole('region', { name: 'Not watched' });
  const calm = page.getByRole('region', { name: 'Alarms' }).getByRole('heading', { level: 1 });
  await calm.getByText('No rooms yet').waitFor();
  // Without sensors, the checklist names the missing steps.
  expect(await gaps.count()).toBe(0);
  const offline = await linkSensor(client);
  const online = await linkSensor(client);
  await online.device.ok('POST', `/devices/${online.sensorId}/messages`, a.presence(true));
  await passMinute();
  await page.reload();
  await gaps.getByText('1 of 2 rooms is not watched: its sensor is offline.').waitFor();
  await gaps
    .getByRole('link', { name: /^Sensor \w{4}$/ })
    .first()
    .waitFor();
  await gaps.getByRole('link', { name: 'No rule notifies anybody of a fall.' }).waitFor();
  await gaps.getByText('Create a rule for detected falls, or include these sensors in an existing one.').waitFor();
  await gaps.getByText('Nobody is notified if a sensor goes offline.').waitFor();
  await checkPage('unwatched');
  // No rule notifies anyone of a fall, so no room is watched.
  await calm.getByText('No room is watched').waitFor();
  await page.getByRole('button', { name: '0 of 2 watched' }).waitFor();

  const { bot, webhook, rule } = await createAlarm(client, site.receiver.url);
  const recipients = [{ botId: bot.id, webhookId: webhook.id }];
  const fall = { name: 'Falls', title: '{sensor}', message: '{time}', situation: 'fall_detected', recipients };
  const change = (part: object) => client.ok('PUT', `/rules/${rule.id}`, { ...fall, ...part });
  await offline.device.ok('POST', `/devices/${offline.sensorId}/messages`, a.presence(false));
  await client.ok('POST', '/rules', { ...fall, name: 'Offline', situation: 'sensor_inactive' });
  // A rule for only a part of a home does not cover all of it.
  await change({ sensorId: online.sensorId });
  await passMinute();
  await page.reload({ waitUntil: 'networkidle' });
  await gaps.getByRole('link', { name: 'No rule notifies anybody of a fall.' }).waitFor();
  await calm.getByText('No open alarms in 1 room', { exact: true }).waitFor();
  await page.getByText(/^1 of 2 rooms is watched\. Check these in person:/).waitFor();
  await change({ schedule: { days: [1, 2, 3, 4, 5, 6, 7], from: '21:00', to: '06:00', timeZone: 'UTC' } });
  await passMinute();
  await page.reload();
  await gaps.getByText('every day, 06:00 to 21:00').waitFor();
  await gaps.getByText('Extend the schedule of a rule, or create a rule for these hours.').waitFor();
  await checkPage('hours-without-rule');
  await change({});
  await passMinute();
  await page.reload();
  await calm.getByText('No open alarms', { exact: true }).waitFor();
  await page.getByText('All 2 rooms are watched.').waitFor();
  expect(await gaps.count()).toBe(0);
  await checkPage('watched');
});

test("a rule that reaches no one on duty is shown with a link to the roster or the viewer's channels", async () => {
  const { client, customerId } = await createHome(site.admin, 'larch', ALL_PERMISSIONS);
  await linkSensor(client);
  const texts = { name: 'Falls', title: '{sensor}', message: '{time}', situation: 'fall_detected' };
  await client.ok('POST', '/rules', { ...texts, recipients: [{ onDuty: true, by: 'push' }] });
  await passMinute();
  const planner = await hireFor(site.admin, customerId, 'planner', { permissions: ['manage_rules'] });
  const nurse = await hireFor(site.admin, customerId, 'nurse');
  for (const [user, href] of [
    [planner, /\/roster$/],
    [nurse, /\/account\/channels$/],
  ] as const) {
    await using visitor = await site.openLoggedIn('', user);
    const gaps = visitor.page.getByRole('region', { name: 'Not watched' });
    const link = gaps.getByRole('link', { name: /nobody on duty can be notified/ });
    expect(await link.getAttribute('href')).toMatch(href);
  }
});

test('shows failing receivers, and disabled webhooks until they are marked as seen', {
  timeout: 60_000,
}, async () => {
  const { client, customerId } = site.home;
  const gone = await startReceiver((_, response) => response.writeHead(410).end());
  const { rule } = await createAlarm(client, gone.url, 'fall_suspected', { name: 'Ward 3' });
  const sensor = await linkSensor(client);
  await client.ok('POST', '/bots', { name: 'Without webhook' });
  await using visitor = await site.openLoggedIn();
  const { page, checkPage } = visitor;
  const gaps = page.getByRole('region', { name: 'Not watched' });
  const { device, sensorId } = sensor;
  const report = (message: object) => device.ok('POST', `/devices/${sensorId}/messages`, message);
  await report(fallMessage('fall_detected', Date.now()));
  await passMinute();
  await page.reload();
  await gaps.getByRole('link', { name: 'fall_suspected' }).waitFor();
  await gaps.getByText('This fall rule reaches nobody').waitFor();
  const card = page.getByRole('region', { name: 'Alarms' }).getByRole('listitem');
  await card
    .getByText(/Nurse call: not notified: 1 attempt/)
    .first()
    .waitFor();
  const problems = page.getByRole('region', { name: 'Webhook problems' });
  await problems.getByText('was disabled by the service').waitFor();
  await problems.getByText('1 delivery failed permanently').waitFor();
  await checkPage('problems');

  // A user without permissions sees the same problems, and can mark them as seen for all users.
  const guest = await hireFor(site.admin, customerId, 'guest');
  await using other = await site.openLoggedIn('', guest);
  await other.page.getByText('This fall rule reaches nobody').waitFor();
  const there = other.page.getByRole('region', { name: 'Webhook problems' });
  await other.checkPage('problems-of-a-guest');
  await there.getByRole('button', { name: 'Mark as seen: Ward 3' }).click();
  await there.waitFor({ state: 'detached' });
  await passMinute();
  await page.reload();
  await gaps.getByRole('link', { name: 'fall_suspected' }).waitFor();
  expect(await problems.count()).toBe(0);
  await client.ok('DELETE', `/rules/${rule.id}`);
  await gone.stop();
});
