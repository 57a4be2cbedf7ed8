import { afterAll, beforeAll, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { ADMIN_PASSWORD } from '../fixtures/cloud.ts';
import { createAlarm, createHome, fallMessage, linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The service clock stops at the browser's time. */
const clock = skippingClock(Date.now() - 2 * HOUR);
let site: Site;

type Room = Awaited<ReturnType<typeof linkSensor>>;
const pass = async (ms: number): Promise<void> => {
  clock.skipTo(clock.now() + ms);
  await site.cloud.sweep();
  await site.cloud.idle();
};
const report = async ({ device, sensorId }: Room, message: object): Promise<void> => {
  await device.ok('POST', `/devices/${sensorId}/messages`, message);
  await site.cloud.idle();
};
const newRoom = async (name: string): Promise<Room> => {
  const { client } = site.home;
  const room = await linkSensor(client);
  const at = `/sensors/${room.sensorId}/maker_a/config/basic`;
  await client.ok('PUT', at, { ...(await client.ok('GET', at)), name });
  // The fall stays open even on a slow machine.
  const critical = `/sensors/${room.sensorId}/maker_a/config/critical`;
  await site.admin.ok('PUT', critical, { ...(await site.admin.ok('GET', critical)), callingDurationSec: 3_600 });
  return room;
};
/** Acknowledges the newest fall in a room, and closes it. */
const answer = async ({ sensorId }: Room, note: string, closure?: object): Promise<void> => {
  const { client, customerId } = site.home;
  const [page] = await client.ok<{ data: { uuid: string }[] }[]>(
    'GET',
    `/customers/${customerId}/alarms?sensorId=${sensorId}`,
  );
  const fall = `/sensors/${sensorId}/falls/${page?.data[0]?.uuid}`;
  await client.ok('PUT', `${fall}/acknowledgement`, { note });
  await site.cloud.idle();
  if (!closure) return;
  await pass(3 * MINUTE);
  await client.ok('PUT', `${fall}/closure`, closure);
  await site.cloud.idle();
};

/** Three rooms: one with a closed fall, one offline, and one with a person on the floor. */
beforeAll(async () => {
  site = await startSite('maple', { clock });
  const { client, customerId, userId } = site.home;
  await createAlarm(client, site.receiver.url);
  const [closed, offline, open] = [
    await newRoom('Room 106'),
    await newRoom('Room 203, south'),
    await newRoom('Room 214'),
  ];
  const state = { type: 'state', payload: { status: 'monitoring', versionName: '0.42.1' } };
  await client.ok('POST', '/sensor-groups', { name: 'Ward 1', sensorIds: [closed.sensorId] });
  await client.ok('PUT', '/users/me/duty', { until: clock.now() + 8 * HOUR });
  await report(offline, state);
  for (let minute = 0; minute < 8; minute++) {
    await pass(MINUTE);
    for (const room of [closed, open]) await report(room, state);
  }
  await report(closed, fallMessage('calling', clock.now()));
  await pass(47 * SECOND);
  await answer(closed, 'On my way', { outcome: 'helped', note: 'Slipped on the rug, no injury. Rug removed.' });
  await pass(20 * MINUTE);
  for (const room of [closed, open]) await report(room, state);
  await report(closed, fallMessage('calling', clock.now()));
  await pass(30 * SECOND);
  await answer(closed, 'Going', { outcome: 'false_alarm' });
  const day = new Date();
  const roster = [{ userId, days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }];
  await client.ok('PUT', `/customers/${customerId}/roster`, roster);
  clock.skipTo(Math.max(day.getTime(), Date.now()) - 4 * MINUTE);
  await site.cloud.idle();
  for (const room of [closed, open]) await report(room, state);
  await report(open, fallMessage('calling', clock.now()));
  clock.skipTo(Date.now());
  await site.cloud.idle();
}, 60_000);
afterAll(() => site.stop());

type Variant = Omit<(typeof variants)[number], 'width'> & { width: number };
/** Sets the nurse's language, and opens a page. */
const openAs = async (path: string, { locale, colorScheme, width }: Variant) => {
  await inLanguage(site, locale);
  return site.openLoggedIn(path, site.home, { locale, colorScheme, viewport: { width, height: 900 } });
};

test.each(variants)('lists alarms from all rooms in $locale, $colorScheme, $width pixels wide', async (variant) => {
  await using visitor = await openAs('/alarms', variant);
  const { page } = visitor;
  const isGerman = variant.locale === 'de';
  const rows = page.locator('.alarm-table tbody tr');
  await rows.nth(3).waitFor();
  expect(await rows.count()).toBe(4);
  await rows
    .filter({ hasText: isGerman ? 'Aufgeholfen' : 'Helped up' })
    .getByText(/Rug removed/)
    .first()
    .waitFor({ state: 'attached' });
  await rows
    .first()
    .getByText(isGerman ? 'Niemand geht hin' : 'Nobody on it')
    .waitFor();
  await visitor.checkPage(`alarms-${variant.locale}-${variant.colorScheme}-${variant.width}`);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
});

test.each(variants)('hands over a shift in $locale, $colorScheme, $width pixels wide', async (variant) => {
  await using visitor = await openAs('/handover', variant);
  const { page } = visitor;
  const isGerman = variant.locale === 'de';
  await page.locator('.alarm-table tbody tr').first().waitFor();
  const duty = page.getByRole('region', { name: isGerman ? 'Im Dienst' : 'On duty' });
  await duty.getByText('A B').waitFor();
  await page
    .getByRole('region', { name: isGerman ? 'Nicht überwacht' : 'Not watched' })
    .getByText('203', { exact: true })
    .waitFor();
  await visitor.checkPage(`handover-${variant.locale}-${variant.colorScheme}-${variant.width}`);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
});

test.each(variants)(
  'reports a month of alarms to an auditor in $locale, $colorScheme, $width pixels wide',
  async (variant) => {
    await using visitor = await openAs('/reports/audit', variant);
    const { page } = visitor;
    const isGerman = variant.locale === 'de';
    await page.getByRole('region', { name: isGerman ? 'Methode' : 'Method' }).waitFor();
    const times = page.getByRole('region', { name: isGerman ? 'Zeiten' : 'Times' });
    await times.getByRole('row', { name: isGerman ? /^Bis zur Übernahme/ : /^Time to acknowledgement/ }).waitFor();
    await visitor.checkPage(`audit-report-${variant.locale}-${variant.colorScheme}-${variant.width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  },
);

test('filters the alarm list, downloads it as a file, and opens an alarm page', async () => {
  await using visitor = await openAs('/alarms', variants[0]);
  const { page } = visitor;
  const rows = page.locator('.alarm-table tbody tr');
  await rows.nth(3).waitFor();
  await page.getByRole('combobox', { name: 'Group' }).click();
  await page.getByRole('option', { name: 'Ward 1' }).click();
  await page.waitForURL(/group=\d+/);
  await rows.nth(2).waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(2);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download (CSV)' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('alarms.csv');
  const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  const lines = text.trim().split('\r\n');
  expect([text.startsWith('\ufeff'), lines.length]).toEqual([true, 3]);
  expect(lines.filter((line) => line.includes(',helped,') && line.includes('Room 106'))).toHaveLength(1);
  await rows.first().getByRole('link').click();
  await page.getByRole('heading', { name: 'Room 106', level: 1 }).waitFor();
});

test('does not claim that there are no alarms while the bar above shows an open one', async () => {
  await using visitor = await openAs('/alarms?situation=apnea', variants[0]);
  const { page } = visitor;
  await page.getByRole('region', { name: 'Alarms' }).getByText('Fall. Nobody is on it.').waitFor();
  await page.getByText('An alarm is open: see the bar above.').waitFor();
  expect(await page.getByText('No alarms in this period').count()).toBe(0);
});

test('fits the alarms page on a tablet in German', async () => {
  await using visitor = await openAs('/alarms', { ...variants[2], width: 768 });
  const { page } = visitor;
  // The status line is longest while the browser blocks the sound.
  await page.addInitScript("Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' })");
  await page.reload();
  await page.locator('.alarm-table tbody tr').nth(3).waitFor();
  await page.getByText('Ton blockiert: hier tippen').waitFor();
  await visitor.checkPage('alarms-de-light-768');
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  const bar = page.getByRole('region', { name: 'Alarme' });
  const [words, button] = await Promise.all([
    bar.getByText('Sturz. Niemand geht hin.').first().boundingBox(),
    bar.getByRole('button', { name: 'Ich gehe hin' }).first().boundingBox(),
  ]);
  expect((words?.x ?? 0) + (words?.width ?? 0)).toBeLessThanOrEqual(button?.x ?? 0);
});

test('hands over a shift after the roster was open in the same tab', async () => {
  await using visitor = await openAs('/roster', variants[0]);
  const { page } = visitor;
  await page.getByRole('heading', { name: 'Roster', level: 1 }).waitFor();
  await page.getByText('A B').first().waitFor();
  await page.getByRole('link', { name: 'Handover' }).click();
  await page.getByRole('region', { name: 'On duty' }).getByText('A B').waitFor();
});

test('shows alarms and the handover on a station screen without sending a forbidden request', async () => {
  // A display may not read its user.
  await using visitor = await site.open('', { locale: 'en-GB', expected: [/403/] });
  const { page } = visitor;
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() === 403 && !response.url().endsWith('/users/me')) refused.push(response.url());
  });
  await page.getByLabel('Username').fill(site.home.username);
  await page.locator('input[name=password]').fill(site.home.password);
  await page.getByRole('checkbox', { name: /^This is a station screen/ }).check();
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Alarms' }).click();
  await page.locator('.alarm-table tbody tr').nth(3).waitFor();
  await page.getByRole('link', { name: 'Handover' }).click();
  await page.getByRole('region', { name: 'On duty' }).getByText('A B').waitFor();
  expect(refused).toEqual([]);
});

test('prints a handover on one sheet', async () => {
  await using visitor = await openAs('/handover', variants[0]);
  const { page } = visitor;
  await page.locator('.alarm-table tbody tr').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.getByText(/^Handed over by/).waitFor();
  expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(0);
  const pdf = await page.pdf({ format: 'A4' });
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.screenshot({ path: new URL('screenshots/handover-print.png', import.meta.url).pathname, fullPage: true });
});

test('shows a system admin the open alarms and gaps for each customer', async () => {
  await createHome(site.admin, 'birch', []);
  await using visitor = await site.openLoggedIn('/customers', { username: 'admin', password: ADMIN_PASSWORD });
  const { page } = visitor;
  const row = page.getByRole('row').filter({ hasText: 'maple' });
  await row.getByRole('cell', { name: '2', exact: true }).first().waitFor();
  await visitor.checkPage('customers-with-states');
});
