import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_PERMISSIONS, hireFor, linkSensor } from '../fixtures/home.ts';
import { b } from '../fixtures/messages.ts';
import { createRoom, registerDevice, type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

/** Whether a chart's canvas has a pixel in this color (red, green, blue). */
const hasColor = (page: Page, chart: string, color: readonly number[]): Promise<boolean> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector('[role=img][aria-label="${chart}"] canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.some((_, at) => at % 4 === 0 && [${color}].every((part, n) => data[at + n] === part));
  })()`);

let site: Site;
let sensorId: string;
beforeAll(async () => {
  site = await startSite('sensors');
  ({ sensorId } = await createRoom(site));
});
afterAll(() => site.stop());

test('links a fall on the station to its timeline and room', async () => {
  await using visitor = await site.openLoggedIn();
  const { page } = visitor;
  const fall = page.getByRole('region', { name: 'Alarms' }).getByRole('link', { name: 'Room 12, Süd' });
  await fall.waitFor();
  expect(await page.title()).toBe('(1) Station · Sensor Cloud');
  await visitor.checkPage('overview');
  await fall.click();
  await page.getByRole('heading', { name: 'Room 12, Süd', level: 1 }).waitFor();
  const timeline = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
  await timeline
    .filter({ hasText: 'Nurse call' })
    .getByText(/^notified at /)
    .waitFor();
  const where = page.getByRole('region', { name: 'Where' });
  await where
    .getByRole('img', { name: /^Fall detected, / })
    .first()
    .waitFor();
  await visitor.checkPage('alarm');
  await page.getByRole('link', { name: 'Open room' }).click();
  await page.getByRole('button', { name: 'Edit room' }).waitFor();
});

test('keeps showing an open fall while the service is failing', async () => {
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/500/] });
  const { page } = visitor;
  const link = page.getByRole('region', { name: 'Alarms' }).getByRole('link', { name: 'Room 12, Süd' });
  await link.waitFor();
  const broken = { status: 500, contentType: 'application/json', body: '{"message":"broken","statusCode":500}' };
  await page.route('**/station', (route) => route.fulfill(broken));
  await page.getByRole('status', { name: 'Connection' }).getByText('Reconnecting').waitFor({ timeout: 20_000 });
  await link.waitFor();
  expect(await page.getByText('No open alarms').count()).toBe(0);
});

test('links a sensor with a pairing code, and asks for the room name and group', async () => {
  const { pairingCode, sensorId: linked } = await registerDevice(site);
  const group = await site.home.client.ok<{ id: number }>('POST', '/sensor-groups', {
    name: 'South wing',
    sensorIds: [],
  });
  await using visitor = await site.openLoggedIn('/sensors');
  const { page } = visitor;
  await page.getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByRole('textbox', { name: 'Pairing code' }).fill(pairingCode);
  await visitor.checkPage('sensors-link');
  await page.getByRole('dialog').getByRole('button', { name: 'Link a sensor' }).click();
  await page.getByText('Sensor linked.').waitFor();
  const dialog = page.getByRole('dialog', { name: 'Name the room' });
  await dialog.getByLabel('Name of the room').fill('Room 106, south wing');
  await dialog
    .getByRole('img', { name: 'How the name appears in an alarm' })
    .getByText('106', { exact: true })
    .waitFor();
  await dialog.getByLabel('Group').selectOption('South wing');
  await visitor.checkPage('sensors-name');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /Room 106, south wing/ }).waitFor();
  const { client } = site.home;
  expect(await client.ok('GET', `/sensors/${linked}`)).toMatchObject({ name: 'Room 106, south wing' });
  expect(await client.ok('GET', `/sensor-groups/${group.id}`)).toMatchObject({ sensorIds: [linked] });
  await visitor.checkPage('sensors');
});

test('searches and sorts the list through the API, and keeps both in the URL', async () => {
  await using visitor = await site.openLoggedIn('/sensors');
  const { page } = visitor;
  await page.getByRole('searchbox').fill('süd');
  await page.waitForURL(/search=s/);
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=asc/);
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=desc/);
  await page.getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  await page.getByRole('searchbox').fill('nobody');
  await page.getByText('No sensors found.').waitFor();
});

test('lists rooms by group, abnormal rooms first, until the list is sorted by a column', async () => {
  const { client } = site.home;
  const { sensorId: quiet } = await linkSensor(client);
  const basic = `/sensors/${quiet}/maker_a/config/basic`;
  await client.ok('PUT', basic, { ...(await client.ok<object>('GET', basic)), name: 'Room 10' });
  const group = await client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'North wing', sensorIds: [quiet] });
  await using visitor = await site.openLoggedIn('/sensors');
  const { page } = visitor;
  const heading = page.getByRole('rowheader', { name: 'North wing 1 room, somebody in 0' });
  await heading.waitFor();
  const first = page
    .getByRole('row')
    .filter({ has: page.getByRole('link') })
    .first();
  await first.getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  await page.getByRole('button', { name: 'Name' }).click();
  await first.getByRole('link', { name: 'Room 10' }).waitFor();
  expect(await heading.count()).toBe(0);
  await client.ok('DELETE', `/sensor-groups/${group.id}`);
  await client.ok('DELETE', `/sensors/${quiet}`);
});

test('filters the list for abnormal rooms, and shows a room beside the list', async () => {
  await using visitor = await site.openLoggedIn('/sensors', site.home, { viewport: { width: 1_440, height: 900 } });
  const { page } = visitor;
  const filters = page.getByRole('radiogroup', { name: 'Status' });
  await filters.getByText(/^1 Open$/).click();
  await page.waitForURL(/state=open/);
  await page.getByRole('link', { name: 'Room 12, Süd' }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'Details of Room 12, Süd' }).click();
  const panel = page.getByRole('complementary', { name: 'Details of Room 12, Süd' });
  await panel.getByText('On the floor').waitFor();
  await panel.getByText(/^None in the last/).waitFor({ state: 'detached' });
  await panel.locator('dt', { hasText: 'Last fall' }).waitFor();
  await visitor.checkPage('sensors-panel');
  await panel.getByRole('link', { name: 'Open room' }).click();
  await page.getByRole('heading', { name: 'Room 12, Süd', level: 1 }).waitFor();
});

test('shows rooms as cards on a phone', async () => {
  await using visitor = await site.openLoggedIn('/sensors', site.home, { viewport: { width: 390, height: 844 } });
  const { page } = visitor;
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Room 12, Süd' }) });
  await row.getByText('Fall, nobody on it').waitFor();
  const [name, state] = await Promise.all(
    [row.getByRole('link'), row.getByText('Fall, nobody on it')].map((one) => one.boundingBox()),
  );
  expect(state?.x).toBeGreaterThan((name?.x ?? 0) + (name?.width ?? 0));
  await visitor.checkPage('sensors-phone');
  await row.getByRole('button', { name: 'Details of Room 12, Süd' }).click();
  const drawer = page.getByRole('dialog', { name: 'Details of Room 12, Süd' });
  await drawer.getByText('Last fall').waitFor();
  await visitor.checkPage('sensors-phone-panel');
  await drawer.getByRole('button', { name: 'Close' }).click();
  await drawer.waitFor({ state: 'detached' });
});

test.each(variants)(
  'shows what happened in a room in the last day, and who is notified, in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    const { client } = site.home;
    const me = await client.ok<object>('GET', '/users/me');
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    const day = page.getByRole('region', { name: isGerman ? 'Letzte 24 Stunden' : 'Last 24 hours' });
    // It is unknown who was there before the first report.
    await day
      .getByRole('img', { name: isGerman ? /^Im Raum: 2-mal, zusammen 12 h/ : /^In the room: 2 times, 12 h/ })
      .waitFor();
    await day.getByRole('img', { name: isGerman ? /^Am Boden: einmal/ : /^On the floor: once/ }).waitFor();
    const watched = page.getByRole('region', { name: isGerman ? 'Überwachung' : 'Monitoring' });
    await watched.getByRole('link', { name: 'fall_detected' }).waitFor();
    await watched.getByText('fall_detected: nurse call').waitFor();
    await watched
      .getByText(isGerman ? 'Niemand' : 'Nobody')
      .first()
      .waitFor();
    await watched.getByText(isGerman ? /^Online, letzte Meldung / : /^Online, last report /).waitFor();
    await visitor.checkPage(`room-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await client.ok('PUT', '/users/me', me);
  },
);

test('draws the room to scale, with regions and falls', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`);
  const { page } = visitor;
  const room = page.getByRole('group', { name: 'Room, seen from above' });
  await room.getByRole('img', { name: /^Bed, 110 × 200 cm/ }).waitFor();
  await room
    .getByRole('img', { name: /^Fall detected, / })
    .first()
    .waitFor();
  await visitor.checkPage('sensor-room');
  const widthOf = (part: string) => page.evaluate<number>(`document.querySelector('rect.${part}').getBBox().width`);
  expect(await widthOf('ground')).toBe(await widthOf('walls'));
});

test('draws a region with the mouse, moves it with the keyboard, and saves it with detection settings', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, site.home, { expected: [/400/] });
  const { page } = visitor;
  await page.getByRole('button', { name: 'Edit room' }).click();
  const box = await page.locator('rect.ground').boundingBox();
  if (!box) throw new Error('the room is missing');
  const at = (x: number, y: number) => [box.x + box.width * x, box.y + box.height * y] as const;
  await page.mouse.move(...at(0.6, 0.6));
  await page.mouse.down();
  await page.mouse.move(...at(0.8, 0.8));
  await page.mouse.up();
  const region = page.getByRole('button', { name: /^Region, / });
  await region.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('textbox', { name: 'Name' }).fill('Chair');
  const fields = page.getByRole('group', { name: 'Chair' });
  await fields.getByRole('switch', { name: 'Detect falls in this region' }).click();
  await fields.getByLabel('Up to').fill('90');
  await fields.getByLabel('Everybody has left').fill('45');
  await page.getByRole('group', { name: 'Size in cm' }).getByLabel('Somebody enters').fill('20');
  await visitor.checkPage('sensor-room-editing');
  // The API error is shown beside the field.
  await fields.getByLabel('From (above the floor)').fill('100');
  await page.getByRole('button', { name: 'Save room' }).click();
  await fields.getByLabel('From (above the floor)').and(page.locator('[aria-invalid=true]')).waitFor();
  await fields.getByLabel('From (above the floor)').fill('10');
  // A notification may cover the button.
  await page.getByRole('button', { name: 'Save room' }).press('Enter');
  await page.getByText('Room saved.').waitFor();
  const { regions, enterDuration } = await site.home.client.ok<{
    enterDuration: number;
    regions: { name: string; topLeftX: number }[];
  }>('GET', `/sensors/${sensorId}/room`);
  expect(enterDuration).toBe(20);
  const chair = regions.find(({ name }) => name === 'Chair');
  expect(chair?.topLeftX).toBeGreaterThan(0);
  expect(chair).toMatchObject({ fallDetectionEnabled: false, zMin: 10, zMax: 90, exitDuration: 45 });
  expect(regions).toHaveLength(3);
});

test.each(variants)(
  'edits a room and its regions in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    const { client } = site.home;
    const me = await client.ok<object>('GET', '/users/me');
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn(`/sensors/${sensorId}`, site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    await page.getByRole('button', { name: isGerman ? 'Raum bearbeiten' : 'Edit room' }).click();
    await page.getByRole('button', { name: isGerman ? /^Bett Bed, / : /^Bed, / }).focus();
    await page.getByRole('switch', { name: isGerman ? /^Stürze/ : /^Detect falls/ }).waitFor();
    await visitor.checkPage(`room-editor-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await client.ok('PUT', '/users/me', me);
  },
);

test.each(['activity', 'events', 'hits', 'config'])('shows the %s tab for a sensor', async (part) => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=${part}`);
  await visitor.page.getByRole('tabpanel').locator('svg, table, form').first().waitFor();
  await visitor.checkPage(`sensor-${part}`);
});

/** The luminance of the presence chart's known and unknown parts, as defined by WCAG. */
const BRIGHTNESS = `(() => {
  const linear = (part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4);
  const bright = (color) => {
    const [red, green, blue] = color.match(/[0-9]+/g).map(Number).map(linear);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const band = document.querySelector('.band svg');
  return [getComputedStyle(band.querySelector('.known')).fill, getComputedStyle(band).backgroundColor].map(bright);
})()`;

test.each(['light', 'dark'] as const)(
  'distinguishes hours without data from hours without presence (%s)',
  async (colorScheme) => {
    await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=activity`, site.home, { colorScheme });
    await visitor.page.locator('.band .known').first().waitFor({ state: 'attached' });
    const [first = 0, other = 0] = await visitor.page.evaluate<number[]>(BRIGHTNESS);
    expect(Math.max(first, other) / Math.min(first, other)).toBeGreaterThan(1.3);
  },
);

test('draws vital signs over time', async () => {
  const { device, sensorId } = await linkSensor(site.home.client, 'maker_b');
  for (const reading of [b.vital(11, 30, 70), b.vital(14, 15, 130), b.vital(12, 5, 70)])
    await device.ok('POST', `/devices/${sensorId}/messages`, reading);
  await site.cloud.idle();
  // Only this test reads a canvas. No page does.
  const expected = [/willReadFrequently/];
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=activity`, site.home, { expected });
  const { page } = visitor;
  await page.getByRole('img', { name: 'Vital signs' }).locator('canvas').waitFor();
  for (const line of [
    [0xe0, 0x31, 0x31],
    [0x0c, 0x85, 0x99],
  ])
    await expect.poll(() => hasColor(page, 'Vital signs', line)).toBe(true);
  await visitor.checkPage('sensor-vital-signs');
});

test('builds the configuration form from the contract, and saves the configuration', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=config`, site.home, { expected: [/400/] });
  const { page } = visitor;
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.fill('30');
  await page.getByText('beeps when somebody falls; 0 is off · 0 to 100 · default 0').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('x');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('textbox', { name: 'Name' }).fill('Room 12, Süd');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Configuration saved.').waitFor();
  const config = await site.home.client.ok('GET', `/sensors/${sensorId}/maker_a/config/basic`);
  expect(config).toMatchObject({ volume: 30, name: 'Room 12, Süd' });
});

test('shows the configuration in German to a German user', async () => {
  const permissions = ALL_PERMISSIONS;
  const nurse = await hireFor(site.admin, site.home.customerId, 'pflege', { permissions, locale: 'de' });
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=config`, nurse);
  const { page } = visitor;
  await page.getByText('Piepen bei einem Sturz; 0 ist aus · 0 bis 100').waitFor();
  expect(await page.getByLabel('LED').locator('option').allTextContents()).toEqual([
    '0: aus',
    '1: an',
    '2: nur bei Fehlern',
  ]);
  await visitor.checkPage('sensor-config-de');
});

test('records that a hit was a false alarm', async () => {
  await using visitor = await site.openLoggedIn(`/sensors/${sensorId}?part=hits`);
  const { page } = visitor;
  await page.getByRole('button', { name: 'Record outcome' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Outcome', { exact: true }).selectOption('FALSE_POSITIVE');
  await dialog.getByLabel('Reason').fill('dog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell').getByText('False alarm').waitFor();
});
