import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

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

test('keeps an alarm open until it is acknowledged, and listed until it has an outcome, in every browser', {
  timeout: 90_000,
}, async () => {
  const room = await roomOf('Room 12, Süd');
  const anna = await nurse('anna', 'Anna');
  const ben = await nurse('ben', 'Ben');
  await using first = await site.openLoggedIn('', anna);
  await using second = await site.openLoggedIn('', ben);
  const openOf = ({ page }: typeof first) => page.getByRole('region', { name: 'Open alarms' });
  await openOf(first).getByText('No open alarms.').waitFor();
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  // The fall ends by itself, but the alarm stays open.
  await say(room, fallMessage('finished', start));
  const card = openOf(first).getByRole('listitem').filter({ hasText: 'Room 12, Süd' });
  await card.getByText(/Nurse call: notified at/).waitFor();
  await openOf(second).getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  expect(await first.page.title()).toBe('(1) Station · Sensor Cloud');
  expect(await first.page.locator('link[rel=icon]').getAttribute('href')).toContain('%3E1%3C%2Ftext');
  await first.checkPage('night-alarm');

  await card.getByRole('button', { name: "I'm on it" }).click();
  const acknowledgedIn = (of: typeof first) => of.page.getByRole('region', { name: 'Somebody is on it' });
  await acknowledgedIn(first).getByText('Anna Meier').waitFor();
  await acknowledgedIn(second).getByText('Anna Meier').waitFor();
  await openOf(second).getByText('No open alarms.').waitFor();
  expect(await first.page.title()).toBe('Station · Sensor Cloud');
  await first.checkPage('night-taken');
  expect(await acknowledgedIn(second).getByRole('button', { name: "I can't go" }).count()).toBe(0);

  await acknowledgedIn(first).getByRole('button', { name: 'False alarm' }).click();
  const shift = second.page.getByRole('region', { name: 'Closed in the last 12 hours' });
  await shift.getByText('Outcome: False alarm').waitFor();
  await shift.getByText('Anna Meier').waitFor();
  expect(await acknowledgedIn(second).count()).toBe(0);
  await second.checkPage('night-answered');
});

test('names the first user to the second one, and reopens an alarm whose acknowledgement is withdrawn', async () => {
  const { client } = site.home;
  const room = await roomOf('Room 14');
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/409|ERR_FAILED/] });
  const { page } = visitor;
  const open = page.getByRole('region', { name: 'Open alarms' });
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  const card = open.getByRole('listitem').filter({ hasText: 'Room 14' });
  await card.getByRole('button', { name: "I'm on it" }).waitFor();
  // The page does not see the other acknowledgement before the button is clicked.
  await page.route(/rule-hits\?/, (route) => route.abort());
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
  const acknowledged = page
    .getByRole('region', { name: 'Somebody is on it' })
    .getByRole('listitem')
    .filter({ hasText: 'Room 14' });
  await acknowledged.getByText('Carla Meier').waitFor();
  await carla.client.ok('DELETE', acknowledgement);
  await card.getByRole('button', { name: "I'm on it" }).click();
  await acknowledged.getByRole('button', { name: "I can't go" }).click();
  await card.getByRole('button', { name: 'Real alarm' }).click();
  // The fall is still open.
  await acknowledged.getByText('Outcome: Real alarm').waitFor();
  expect(await open.getByText('Nobody detected').count()).toBe(0);
  await say(room, fallMessage('finished', start));
  const shift = page.getByRole('region', { name: 'Closed in the last 12 hours' }).getByRole('listitem');
  await shift.filter({ hasText: 'Room 14' }).getByText('Outcome: Real alarm').waitFor();
});

test('keeps its data while offline, shows its age in red, and updates by itself afterwards', async () => {
  const expected = [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/];
  await using visitor = await site.openLoggedIn('/account', site.home, { expected });
  const { page, context } = visitor;
  await page.clock.install();
  await page.getByRole('link', { name: 'Station' }).click();
  const open = page.getByRole('region', { name: 'Open alarms' });
  const late = page.getByRole('alert').filter({ hasText: 'Out of date' });
  const calm = open.getByRole('note');
  const colour = () =>
    page.evaluate<string>(
      'getComputedStyle(document.querySelector("[aria-label=\'Open alarms\'] [role=note]")).backgroundColor',
    );
  await calm.waitFor();
  const green = await colour();
  expect(await late.count()).toBe(0);
  await context.setOffline(true);
  await late.getByText('This browser has no network connection.').waitFor();
  await expect.poll(colour).not.toBe(green);
  await expect.poll(() => page.title()).toBe('⚠ Station · Sensor Cloud');
  await visitor.checkPage('night-offline');
  await context.setOffline(false);
  await late.waitFor({ state: 'detached' });
  await expect.poll(colour).toBe(green);

  // The network works, but the service does not.
  await page.route(/open-falls|rule-hits/, (route) => route.abort());
  await page.getByText('Not up to date').waitFor();
  await page.clock.fastForward(66_000);
  await late.getByText(/1 minute ago/).waitFor();
  expect(await colour()).not.toBe(green);
  await page.unrouteAll();
  await late.waitFor({ state: 'detached' });
});

test('never claims that no alarms are open, or that everything is monitored, before it has loaded the data', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"broken","statusCode":500}' };
  await page.route(/rule-hits\?|\/watch$/, (route) => route.fulfill(broken));
  await page.getByRole('link', { name: 'Station' }).click();
  const open = page.getByRole('region', { name: 'Open alarms' });
  await open.getByRole('alert').getByText('broken').waitFor();
  await open.getByText('Could not check whether everything is monitored.').waitFor();
  expect(await page.getByText('No open alarms.').count()).toBe(0);
  await page.unrouteAll();
  await open.getByText('No open alarms.').waitFor();
});

test('loads the overview with at most six calls, and then polls small pages', async () => {
  await using visitor = await site.openLoggedIn('/account');
  const { page } = visitor;
  await page.waitForLoadState('networkidle');
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (!pathname.includes('/console')) calls.push(pathname.replace(/.*\/api\/v1/, '') + search);
  });
  await page.goto(site.address, { waitUntil: 'networkidle' });
  await page.getByText('No open alarms.').waitFor();
  expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(6);
  const after = calls.length;
  await page.waitForRequest(/rule-hits/);
  await page.waitForRequest(/rule-hits/);
  const further = calls.slice(after);
  expect(
    further.every((call) => /open-falls|perPage=10&|perPage=10$/.test(call)),
    further.join('\n'),
  ).toBe(true);
});

const variants = [
  { locale: 'en', colorScheme: 'light', width: 1_440 },
  { locale: 'en', colorScheme: 'dark', width: 390 },
  { locale: 'de', colorScheme: 'light', width: 390 },
  { locale: 'de', colorScheme: 'dark', width: 1_440 },
] as const;

describe('a night with every state', () => {
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
    'shows the overview accessibly and without horizontal scrolling in $locale, $colorScheme, $width pixels wide',
    async (variant) => {
      const { locale, colorScheme, width } = variant;
      await site.home.client.ok('PUT', '/users/me', {
        ...(await site.home.client.ok<object>('GET', '/users/me')),
        locale,
      });
      const options = { colorScheme, locale, viewport: { width, height: 900 }, expected: [/ERR_INTERNET/] };
      await using visitor = await site.openLoggedIn('', site.home, options);
      const { page, context } = visitor;
      await page.getByRole('link', { name: 'Room 16' }).waitFor();
      await page.getByText(/1 of \d rooms|1 von \d Räumen/).waitFor();
      await context.setOffline(true);
      await page
        .getByRole('alert')
        .filter({ hasText: /Out of date|Veraltet/ })
        .waitFor();
      await visitor.checkPage(`night-${locale}-${colorScheme}-${width}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      // On wide screens it is readable from the door.
      const sizes = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.alarm-room, .running')].map((one) => getComputedStyle(one).fontSize)",
      );
      expect(sizes).toHaveLength(4);
      for (const size of sizes) expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(width > 1_000 ? 48 : 28);
    },
  );
});
