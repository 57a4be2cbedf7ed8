import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { recordSound } from './fixtures/sound.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

const clock = skippingClock(Date.now());
let site: Site;
beforeAll(async () => {
  site = await startSite('night', { clock });
  await createAlarm(site.home.client, site.receiver.url);
  await createAlarm(site.home.client, site.receiver.url, 'sensor_inactive');
});
afterAll(() => site.stop());

type Linked = Awaited<ReturnType<typeof linkSensor>>;
/** Links an online sensor in a named room. */
const roomOf = async (name: string): Promise<Linked> => {
  const { client } = site.home;
  const sensor = await linkSensor(client);
  const at = `/sensors/${sensor.sensorId}/maker_a/config/basic`;
  await client.ok('PUT', at, { ...(await client.ok<object>('GET', at)), name });
  await say(sensor, a.presence(true));
  return sensor;
};
const say = async ({ device, sensorId }: Linked, message: object): Promise<void> => {
  await device.ok('POST', `/devices/${sensorId}/messages`, message);
  await site.cloud.idle();
};
const nurse = (username: string, firstName: string) =>
  hireFor(site.admin, site.home.customerId, username, { firstName, lastName: 'Meier', permissions: [] });

test('keeps an alarm open in every browser until someone acknowledges it', {
  timeout: 90_000,
}, async () => {
  const room = await roomOf('Room 12, Süd');
  const anna = await nurse('anna', 'Anna');
  const ben = await nurse('ben', 'Ben');
  await using first = await site.openLoggedIn('', anna);
  await using second = await site.openLoggedIn('', ben);
  const openOf = ({ page }: typeof first) => page.getByRole('region', { name: 'Alarms' });
  await openOf(first).getByText('No open alarms').waitFor();
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  // The fall ends without being closed by anyone, but the alarm stays open.
  await say(room, fallMessage('finished', start));
  const card = openOf(first)
    .locator('.room-call')
    .filter({ has: first.page.getByRole('link', { name: 'Room 12, Süd' }) });
  await card.getByText(/Nurse call: notified at/).waitFor();
  await openOf(second).getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  expect(await first.page.title()).toBe('(1) Station · Sensor Cloud');
  expect(await first.page.locator('link[rel=icon]').getAttribute('href')).toContain('%3E1%3C%2Ftext');
  await first.checkPage('night-alarm');

  await card.getByRole('button', { name: "I'm on it" }).click();
  await openOf(first).getByText("You're on it").waitFor();
  await openOf(second).getByText('Anna Meier is on it').waitFor();
  expect(await first.page.title()).toBe('Station · Sensor Cloud');
  await first.checkPage('night-taken');
  expect(await openOf(second).getByRole('button', { name: "I can't go" }).count()).toBe(0);

  await openOf(first).getByRole('button', { name: 'Add a note' }).click();
  await openOf(first).getByLabel('Note for the handover').fill('Blanket on the floor');
  await openOf(first).getByRole('button', { name: 'False alarm' }).click();
  const shift = second.page.getByRole('region', { name: 'This shift' });
  await shift.getByText('False alarm').waitFor();
  await shift.getByText('Anna Meier').waitFor();
  await shift.getByText('Blanket on the floor').waitFor();
  await openOf(second).getByText('No open alarms').waitFor();
  await second.checkPage('night-answered');
});

test('shows who acknowledged an alarm first, and reopens it when the acknowledgement is withdrawn', async () => {
  const { client } = site.home;
  const room = await roomOf('Room 14');
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/409|ERR_FAILED/] });
  const { page } = visitor;
  const open = page.getByRole('region', { name: 'Alarms' });
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  const card = open.locator('.room-call').filter({ has: page.getByRole('link', { name: 'Room 14' }) });
  await card.getByRole('button', { name: "I'm on it" }).waitFor();
  // The page does not receive the other acknowledgement before the button is clicked.
  await page.route(/\/station$/, (route) => route.abort());
  const carla = await nurse('carla', 'Carla');
  const [hits] = await client.ok<{ data: { id: number }[] }[]>('GET', `/customers/${site.home.customerId}/rule-hits`);
  const acknowledgement = `/customers/${site.home.customerId}/rule-hits/${hits?.data[0]?.id}/acknowledgement`;
  await carla.client.ok('PUT', acknowledgement, {});
  await card.getByRole('button', { name: "I'm on it" }).click();
  await page
    .getByRole('alert')
    .getByText(/Carla Meier/)
    .waitFor();
  await page.unrouteAll();
  await card.getByText('Carla Meier is on it').waitFor();
  await carla.client.ok('DELETE', acknowledgement);
  await card.getByRole('button', { name: "I'm on it" }).click();
  await card.getByRole('button', { name: "I can't go" }).click();
  await card.getByRole('button', { name: "I'm on it" }).click();
  // Only people can report that the person is up.
  await say(room, fallMessage('finished', start));
  await card.getByRole('button', { name: 'Helped up' }).click();
  const shift = page.getByRole('region', { name: 'This shift' }).getByRole('listitem');
  await shift.filter({ hasText: '14' }).getByText('Helped up').waitFor();
});

test('warns with a separate sound when the connection is lost, and recovers', {
  timeout: 90_000,
}, async () => {
  const expected = [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/];
  // A clock installed later starts at 0 for a moment, and a response in that moment would seem decades old.
  const options = { expected, before: (tab: Page) => tab.clock.install() };
  await using visitor = await site.openLoggedIn('/account', site.home, options);
  const { page, context } = visitor;
  const heard = await recordSound(visitor);
  await page.getByRole('link', { name: 'Station' }).click();
  const connection = page.getByRole('status', { name: 'Connection' });
  await connection.getByText('Connected').waitFor();
  await page.getByRole('button', { name: 'Sound on' }).waitFor();
  const blind = page.getByRole('heading', { name: 'NOT WATCHED' });
  await context.setOffline(true);
  await connection.getByText('Reconnecting').waitFor();
  expect(await page.getByRole('heading', { name: /^No open alarms/ }).count()).toBe(0);
  await page.clock.fastForward(31_000);
  await blind.waitFor();
  await page.getByText(/^No connection since .* elapsed: \d+:\d\d$/).waitFor();
  expect(await page.title()).toBe('⚠ Station · Sensor Cloud');
  await visitor.checkPage('night-not-watched');
  await expect.poll(async () => (await heard()).at(-1)).toMatchObject({ hertz: 330, gain: 0.5 });
  await page.getByRole('button', { name: 'Mute for 5 minutes' }).click();
  const quiet = (await heard()).length;
  await page.clock.fastForward(60_000);
  await blind.waitFor();
  expect((await heard()).length).toBe(quiet);
  await context.setOffline(false);
  await blind.waitFor({ state: 'detached' });
  await connection.getByText('Connected').waitFor();

  // The network works, but the service does not. Any page notices that.
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.route(/\/station$/, (route) => route.abort());
  await connection.getByText('Reconnecting').waitFor({ timeout: 20_000 });
  await page.clock.fastForward(31_000);
  await blind.waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await blind.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Rules', level: 1 }).waitFor();
});

test('does not claim that nothing is open before the data has loaded', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"broken","statusCode":500}' };
  await page.route(/\/station$/, (route) => route.fulfill(broken));
  await page.goto(site.address);
  const alarms = page.getByRole('region', { name: 'Alarms' });
  await alarms.getByRole('alert').getByText('broken').waitFor();
  await page.getByRole('button', { name: 'Watched: unknown' }).waitFor();
  expect(await page.getByText('No open alarms').count()).toBe(0);
  await page.unrouteAll();
  await alarms.getByText('No open alarms').waitFor();
});

test('loads the overview with at most six requests, and then polls with one', async () => {
  await using visitor = await site.openLoggedIn('/account');
  const { page } = visitor;
  await page.waitForLoadState('networkidle');
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.includes('/console')) calls.push(pathname.replace(/.*\/api\/v1/, '') + search);
  });
  await page.goto(site.address, { waitUntil: 'networkidle' });
  await page.getByText('No open alarms').waitFor();
  expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(6);
  const after = calls.length;
  await page.waitForResponse((answer) => answer.url().endsWith('/station') && answer.status() === 304);
  await page.waitForResponse((answer) => answer.url().endsWith('/station') && answer.status() === 304);
  expect(new Set(calls.slice(after))).toEqual(new Set([`/customers/${site.home.customerId}/station`]));
});

describe('a night with alarms in every state', () => {
  beforeAll(async () => {
    const { client, customerId } = site.home;
    const open = await roomOf('Room 15');
    const acknowledged = await roomOf('Room 16');
    const simulated = await roomOf('Room 17');
    await linkSensor(client);
    await say(acknowledged, fallMessage('calling', Date.now()));
    const [hits] = await client.ok<{ data: { id: number }[] }[]>('GET', `/customers/${customerId}/rule-hits`);
    await client.ok('PUT', `/customers/${customerId}/rule-hits/${hits?.data[0]?.id}/acknowledgement`, {});
    await say(open, fallMessage('calling', Date.now()));
    await say(simulated, fallMessage('calling', Date.now(), { isSimulated: true }));
    // The watch is computed once a minute.
    clock.skipTo(clock.now() + 60_000);
  });

  test.each(variants)(
    'the overview is accessible and does not scroll horizontally in $locale, $colorScheme, $width pixels wide',
    async (variant) => {
      const { locale, colorScheme, width } = variant;
      await inLanguage(site, locale);
      const options = { colorScheme, locale, viewport: { width, height: 844 } };
      await using visitor = await site.openLoggedIn('', site.home, options);
      const { page } = visitor;
      await page.getByRole('link', { name: 'Room 16' }).waitFor();
      await page.getByRole('button', { name: /of \d watched|von \d überwacht/ }).waitFor();
      await visitor.checkPage(`night-${locale}-${colorScheme}-${width}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      // On a wide screen, the text is large enough to be read from the door.
      const sizes = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.room-call.open .rc-no b')].map((one) => getComputedStyle(one).fontSize)",
      );
      expect(sizes).toHaveLength(2);
      for (const size of sizes) expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(width > 1_000 ? 112 : 64);
      // Three alarms fit on a phone once the sound is on.
      await page.getByRole('heading', { level: 1 }).click();
      await page.getByRole('button', { name: /^(Sound on|Ton an)$/ }).waitFor();
      const bottoms = await page.evaluate<number[]>(
        "[...document.querySelectorAll('.room-call')].map((one) => one.getBoundingClientRect().bottom)",
      );
      expect(bottoms[2]).toBeLessThanOrEqual(844 - (width < 640 ? 56 : 0));
      if (width > 640) return;
      // On other pages, the alarms leave space for the page.
      await page.goto(`${site.address}/handover`);
      await page
        .getByRole('link', { name: locale === 'de' ? '+ 17 offen, 16 übernommen' : '+ 17 open, 16 yours' })
        .waitFor();
      expect((await page.locator('.call-rooms').boundingBox())?.height).toBeLessThanOrEqual(124);
    },
  );
});
