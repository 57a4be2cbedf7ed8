import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAlarm, fallMessage, hireFor, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { type Site, startSite } from './fixtures/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('night');
  await createAlarm(site.home.client, site.receiver.url);
});
afterAll(() => site.stop());

type Linked = Awaited<ReturnType<typeof linkSensor>>;
/** A sensor that is heard of, in a room with a name. */
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

test('an alarm stays until somebody goes, whom every browser names, and until somebody says what it was', {
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
  // The fall ends by itself, and the alarm does not.
  await say(room, fallMessage('finished', start));
  const card = openOf(first).getByRole('listitem').filter({ hasText: 'Room 12, Süd' });
  await card.getByText(/Nurse call: notified at/).waitFor();
  await openOf(second).getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  expect(await first.page.title()).toBe('(1) Overview · Sensor Cloud');
  expect(await first.page.locator('link[rel=icon]').getAttribute('href')).toContain('%3E1%3C%2Ftext');
  await first.look('night-alarm');

  await card.getByRole('button', { name: "I'm on it" }).click();
  const taken = (of: typeof first) => of.page.getByRole('region', { name: 'Somebody is on it' });
  await taken(first).getByText('Anna Meier').waitFor();
  await taken(second).getByText('Anna Meier').waitFor();
  await openOf(second).getByText('No open alarms.').waitFor();
  expect(await first.page.title()).toBe('Overview · Sensor Cloud');
  await first.look('night-taken');
  expect(await taken(second).getByRole('button', { name: "I can't go" }).count()).toBe(0);

  await taken(first).getByRole('button', { name: 'False alarm' }).click();
  const shift = second.page.getByRole('region', { name: 'Closed in the last 12 hours' });
  await shift.getByText('Outcome: False alarm').waitFor();
  await shift.getByText('Anna Meier').waitFor();
  expect(await taken(second).count()).toBe(0);
  await second.look('night-answered');
});

test('who is second is told who was first, and an alarm that is given back is open again', async () => {
  const { client } = site.home;
  const room = await roomOf('Room 14');
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/409|ERR_FAILED/] });
  const { page } = visitor;
  const open = page.getByRole('region', { name: 'Open alarms' });
  const start = Date.now();
  await say(room, fallMessage('calling', start));
  const card = open.getByRole('listitem').filter({ hasText: 'Room 14' });
  await card.getByRole('button', { name: "I'm on it" }).waitFor();
  // What the other says is not read before this one touches the button.
  await page.route(/rule-hits\?/, (route) => route.abort());
  const carla = await nurse('carla', 'Carla');
  const [hits] = await client.ok<{ data: { id: number }[] }[]>('GET', `/customers/${site.home.customerId}/rule-hits`);
  const care = `/customers/${site.home.customerId}/rule-hits/${hits?.data[0]?.id}/acknowledgement`;
  await carla.client.ok('PUT', care, {});
  await card.getByRole('button', { name: "I'm on it" }).click();
  await page
    .getByRole('alert')
    .getByText(/Carla Meier/)
    .waitFor();
  await page.unrouteAll();
  const taken = page
    .getByRole('region', { name: 'Somebody is on it' })
    .getByRole('listitem')
    .filter({ hasText: 'Room 14' });
  await taken.getByText('Carla Meier').waitFor();
  await carla.client.ok('DELETE', care);
  await card.getByRole('button', { name: "I'm on it" }).click();
  await taken.getByRole('button', { name: "I can't go" }).click();
  await card.getByRole('button', { name: 'Real alarm' }).click();
  // Somebody is still on the floor.
  await taken.getByText('Outcome: Real alarm').waitFor();
  expect(await open.getByText('Nobody detected').count()).toBe(0);
  await say(room, fallMessage('finished', start));
  const shift = page.getByRole('region', { name: 'Closed in the last 12 hours' }).getByRole('listitem');
  await shift.filter({ hasText: 'Room 14' }).getByText('Outcome: Real alarm').waitFor();
});

test('a page that reaches nothing keeps what it has, says in red how old it is, and goes on by itself', async () => {
  const expected = [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/];
  await using visitor = await site.openLoggedIn('/account', site.home, { expected });
  const { page, context } = visitor;
  await page.clock.install();
  await page.getByRole('link', { name: 'Overview' }).click();
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
  await expect.poll(() => page.title()).toBe('⚠ Overview · Sensor Cloud');
  await visitor.look('night-offline');
  await context.setOffline(false);
  await late.waitFor({ state: 'detached' });
  await expect.poll(colour).toBe(green);

  // The network is there, and the service is not.
  await page.route(/open-falls|rule-hits/, (route) => route.abort());
  await page.getByText('Not up to date').waitFor();
  await page.clock.fastForward(66_000);
  await late.getByText(/1 minute ago/).waitFor();
  expect(await colour()).not.toBe(green);
  await page.unrouteAll();
  await late.waitFor({ state: 'detached' });
});

test('before hits could be read, it is not said that no alarm is open; nor that all is watched before that is known', async () => {
  await using visitor = await site.openLoggedIn('/account', site.home, { expected: [/500/] });
  const { page } = visitor;
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"broken","statusCode":500}' };
  await page.route(/rule-hits\?|\/watch$/, (route) => route.fulfill(broken));
  await page.getByRole('link', { name: 'Overview' }).click();
  const open = page.getByRole('region', { name: 'Open alarms' });
  await open.getByRole('alert').getByText('broken').waitFor();
  await open.getByText('Could not check whether everything is watched.').waitFor();
  expect(await page.getByText('No open alarms.').count()).toBe(0);
  await page.unrouteAll();
  await open.getByText('No open alarms.').waitFor();
});

test('a load of the page is six calls at most, and then it reads little', async () => {
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

const looks = [
  { locale: 'en', colorScheme: 'light', width: 1_440 },
  { locale: 'en', colorScheme: 'dark', width: 390 },
  { locale: 'de', colorScheme: 'light', width: 390 },
  { locale: 'de', colorScheme: 'dark', width: 1_440 },
] as const;

describe('all that a night can bring', () => {
  beforeAll(async () => {
    const { client, customerId } = site.home;
    const open = await roomOf('Room 15');
    const cared = await roomOf('Room 16');
    const simulated = await roomOf('Room 17');
    await linkSensor(client);
    await say(cared, fallMessage('calling', Date.now()));
    const [hits] = await client.ok<{ data: { id: number }[] }[]>('GET', `/customers/${customerId}/rule-hits`);
    await client.ok('PUT', `/customers/${customerId}/rule-hits/${hits?.data[0]?.id}/acknowledgement`, {});
    await say(open, fallMessage('calling', Date.now()));
    await say(simulated, fallMessage('calling', Date.now(), { isSimulated: true }));
  });

  test.each(looks)('has enough contrast and fits, in $locale, $colorScheme, $width pixels wide', async (look) => {
    const { locale, colorScheme, width } = look;
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
    await visitor.look(`night-${locale}-${colorScheme}-${width}`);
    const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(beyond).toBeLessThanOrEqual(0);
    // It is read from the door, where the screen has room for it.
    const sizes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.alarm-room, .running')].map((one) => getComputedStyle(one).fontSize)",
    );
    expect(sizes).toHaveLength(4);
    for (const size of sizes) expect(Number.parseFloat(size)).toBeGreaterThanOrEqual(width > 1_000 ? 48 : 28);
  });
});
