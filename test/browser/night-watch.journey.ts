import { afterAll, beforeAll, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { note } from './fixtures/measured.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { recordSound, type Tone } from './fixtures/sound.ts';
import type { Visitor } from './fixtures/visitor.ts';

const HOUR = 3_600_000;
const clock = skippingClock(Date.now());
let site: Site;
beforeAll(async () => {
  site = await startSite('night-watch', { clock });
  await createAlarm(site.home.client, site.receiver.url);
  await site.home.client.ok('PUT', '/users/me/duty', { until: clock.now() + HOUR });
});
afterAll(() => site.stop());

type Room = Awaited<ReturnType<typeof linkSensor>>;
const roomOf = async (name: string): Promise<Room> => {
  const { client } = site.home;
  const sensor = await linkSensor(client);
  const at = `/sensors/${sensor.sensorId}/maker_a/config/basic`;
  await client.ok('PUT', at, { ...(await client.ok<object>('GET', at)), name });
  await sensor.device.ok('POST', `/devices/${sensor.sensorId}/messages`, a.presence(true));
  return sensor;
};

/** Reports a fall. Returns a function that returns the number of seconds since then. */
const fall = async ({ sensorId, device }: Room) => {
  const start = Date.now();
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', start));
  await site.cloud.idle();
  return () => ((Date.now() - start) / 1_000).toFixed(1);
};

type Watcher = Visitor & { heard: () => Promise<Tone[]>; bar: ReturnType<Visitor['page']['getByRole']> };
/** Opens a page with an adjustable clock and with working sound, which is recorded. */
const watch = async (path: string, username: string, width: number): Promise<Watcher> => {
  const user = await hireFor(site.admin, site.home.customerId, username, { firstName: username, lastName: 'Meier' });
  const viewport = { width, height: 844 };
  const visitor = await site.openLoggedIn(path, user, {
    viewport,
    expected: [/401|ERR_INTERNET_DISCONNECTED/],
    before: (page) => page.clock.install(),
  });
  const heard = await recordSound(visitor);
  await visitor.page.getByRole('heading', { level: 1 }).click();
  await visitor.page.getByRole('button', { name: 'Sound on' }).waitFor();
  return { ...visitor, heard, bar: visitor.page.getByRole('region', { name: 'Alarms' }) };
};

/** The tones a page has played since the given time (ms). */
const since = async ({ heard }: Watcher, time: number) => (await heard()).filter(({ at }) => at >= time);

test("shows and sounds a night's alarms on two screens and a phone, on any page", {
  timeout: 120_000,
}, async () => {
  const [first, second] = [await roomOf('Room 101'), await roomOf('Room 102')];
  await using anna = await watch('/rules', 'Anna', 1_440);
  await using ben = await watch('/groups', 'Ben', 1_440);
  await using carla = await watch('/sensors', 'Carla', 390);
  const all = [anna, ben, carla];
  await anna.page.getByText('1 on duty').waitFor();

  // The first fall, acknowledged with one tap on the open page.
  const secondsOfFirst = await fall(first);
  await Promise.all(all.map(({ bar }) => bar.getByText('Fall. Nobody is on it.').waitFor()));
  note(`fall in room 101: on three screens after ${secondsOfFirst()} s, no tap`);
  for (const watcher of all)
    await expect.poll(async () => (await watcher.heard()).at(-1)).toMatchObject({ hertz: 1_175, gain: 0.4 });
  await carla.bar.getByRole('button', { name: "I'm on it" }).click();
  await carla.bar.getByText("You're on it").waitFor();
  note(`acknowledged on the phone after ${secondsOfFirst()} s, 1 tap`);
  await Promise.all([anna, ben].map(({ bar }) => bar.waitFor({ state: 'detached' })));
  // An alarm stays on every page of the user who acknowledged it until it is closed.
  await carla.page.getByRole('link', { name: 'Handover' }).last().click();
  await carla.bar.getByText("You're on it").waitFor();
  const silentFrom = Date.now() + 500;

  // The second fall, which no one acknowledges. The alarm is louder after a minute.
  const secondsOfSecond = await fall(second);
  await Promise.all(all.map(({ bar }) => bar.getByText('102', { exact: true }).waitFor()));
  note(`fall in room 102: on three screens after ${secondsOfSecond()} s, no tap`);
  expect((await since(anna, silentFrom)).every(({ gain }) => gain === 0.4)).toBe(true);
  await anna.page.clock.fastForward(61_000);
  await expect.poll(async () => (await anna.heard()).at(-1), { timeout: 15_000 }).toMatchObject({ gain: 0.8 });
  note('nobody acknowledges room 102: gain 0.4, after a minute 0.8');

  // A second fall in a room whose alarm was already acknowledged.
  const secondsOfThird = await fall(first);
  await Promise.all([
    ...[anna, ben].map(({ bar }) => bar.getByText('101', { exact: true }).waitFor()),
    carla.bar.getByText('+ 101 open').waitFor(),
  ]);
  note(`second fall in room 101: open again on three screens after ${secondsOfThird()} s`);
  await ben.page.getByRole('link', { name: 'Station' }).first().click();
  const rows = ben.page.getByRole('listitem').filter({ has: ben.page.getByRole('link', { name: 'Room 101' }) });
  await rows.getByText('2 falls').waitFor();
  await ben.checkPage('night-watch');

  // The service is down for two minutes.
  await anna.context.setOffline(true);
  await anna.page.getByRole('status', { name: 'Connection' }).getByText('Reconnecting').waitFor({ timeout: 15_000 });
  await anna.page.clock.fastForward(31_000);
  await anna.page.getByRole('heading', { name: 'NOT WATCHED' }).waitFor();
  await anna.page.getByText('Check on 101, 102').or(anna.page.getByText('Check on 102, 101')).waitFor();
  await expect
    .poll(async () => (await anna.heard()).at(-1), { timeout: 15_000 })
    .toMatchObject({ hertz: 330, gain: 0.5 });
  await anna.page.clock.fastForward(90_000);
  await anna.context.setOffline(false);
  await anna.bar.getByText('102', { exact: true }).waitFor();
  note('no connection: NOT WATCHED with another sound (330 Hz, gain 0.5) after 30 s; alarms again by itself');

  // The falls are closed, and the session ends.
  for (const name of ["I'm on it", 'Helped up'])
    for (let left = 1; left >= 0; left--) {
      const buttons = ben.page.getByRole('button', { name });
      await buttons.first().click();
      await expect.poll(() => buttons.count(), { timeout: 10_000 }).toBe(left);
    }
  await ben.page.getByRole('heading', { name: /^No open alarms/ }).waitFor();
  clock.skipTo(clock.now() + 25 * HOUR);
  await Promise.all(
    all.map(({ page }) => page.getByRole('heading', { name: 'NOT WATCHED' }).waitFor({ timeout: 20_000 })),
  );
  for (const { page } of all) await page.getByRole('button', { name: 'Log in and resume monitoring' }).waitFor();
  note('session over: NOT WATCHED with the login in it, on three screens');
});
