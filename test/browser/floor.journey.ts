import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FloorPlan } from '#shared/domain/sensor/floor-plan.ts';
import { createAlarm, fallMessage, linkSensor } from '../fixtures/home.ts';
import { a } from '../fixtures/messages.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

const ROOMS = 8;

let site: Site;
let groupId: number;
const sensorIds: string[] = [];
/**
 * A ward along a corridor. The fall in room 101 is unacknowledged, the one in 102 acknowledged, and the one in 103 only
 * suspected. Room 104 is offline, and 106 is empty. The other rooms are occupied.
 */
beforeAll(async () => {
  site = await startSite('willow');
  const { client } = site.home;
  await createAlarm(client, site.receiver.url);
  for (let at = 0; at < ROOMS; at++) {
    const { sensorId, device } = await linkSensor(client);
    const basic = `/sensors/${sensorId}/maker_a/config/basic`;
    await client.ok('PUT', basic, { ...(await client.ok<object>('GET', basic)), name: `Room ${101 + at}, Ward` });
    const report = (message: object) => device.ok('POST', `/devices/${sensorId}/messages`, message);
    if (at !== 3) await report(a.presence(at !== 5));
    if (at === 0) await report(fallMessage('calling', Date.now() - 40_000));
    if (at === 1) await report(fallMessage('calling', Date.now() - 30_000));
    if (at === 2) await report(fallMessage('fall_detected', Date.now()));
    sensorIds.push(sensorId);
  }
  await site.cloud.idle();
  const [hits] = await client.ok<{ data: { id: number; sensorId: string }[] }[]>(
    'GET',
    `/customers/${site.home.customerId}/rule-hits`,
  );
  const hit = hits?.data.find(({ sensorId }) => sensorId === sensorIds[1]);
  await client.ok('PUT', `/customers/${site.home.customerId}/rule-hits/${hit?.id}/acknowledgement`, {});
  groupId = (await client.ok<{ id: number }>('POST', '/sensor-groups', { name: 'South wing', sensorIds })).id;
  await client.ok('POST', '/sensor-groups', { name: 'West wing', sensorIds: [] });
}, 60_000);
afterAll(() => site.stop());

const path = () => `/sensor-groups/${groupId}/plan`;
const stored = () => site.home.client.ok<FloorPlan>('GET', path());
/** Two rows of rooms facing each other across a corridor. */
const ward = () => ({
  width: 20,
  height: 10,
  rooms: sensorIds.map((sensorId, at) => ({
    sensorId,
    x: 3 + Math.floor(at / 2) * 4,
    y: at % 2 === 0 ? 0.25 : 9.75,
    rotation: at % 2 === 0 ? 0 : 180,
  })),
});

test.each(variants)(
  'shows people on the floor, helpers and offline rooms in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await site.home.client.ok('PUT', path(), ward());
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 }, expected: [/429/] };
    await using visitor = await site.openLoggedIn(`/floor?group=${groupId}`, site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    const plan = page.getByRole('group', { name: isGerman ? 'Grundriss South wing' : 'Plan of South wing' });
    const room = (number: number) => plan.getByRole('link', { name: new RegExp(`^Room ${number}, Ward`) });
    await room(101)
      .getByText(isGerman ? 'Sturz' : 'Fall')
      .waitFor();
    await room(102)
      .getByText(isGerman ? 'Sie gehen hin' : "You're on it")
      .waitFor();
    await room(103)
      .getByText(isGerman ? 'Sturzverdacht' : 'Suspected')
      .waitFor();
    await room(104).getByText('Offline').waitFor();
    await room(105)
      .getByText(isGerman ? 'Jemand da' : 'Somebody there')
      .waitFor({ state: 'attached' });
    await room(106)
      .getByText(isGerman ? 'Leer' : 'Empty')
      .waitFor();
    await visitor.checkPage(`floor-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  },
);

test('places rooms on the plan, and moves them with the mouse, the keyboard and form fields', async () => {
  await inLanguage(site, 'en');
  await site.home.client.ok('PUT', path(), { width: 40, height: 20, rooms: [] });
  await using visitor = await site.openLoggedIn(`/floor?group=${groupId}`, site.home, {
    viewport: { width: 1_440, height: 900 },
    expected: [/429/, /400/],
  });
  const { page } = visitor;
  await page.getByText('There are no rooms on this plan yet.').waitFor();
  await page.getByRole('button', { name: 'Arrange' }).click();
  await page.getByRole('button', { name: 'Place Room 101, Ward' }).click();
  await page.getByRole('button', { name: 'Place Room 102, Ward' }).click();
  const plan = page.getByRole('group', { name: 'Plan of South wing' });
  const room = (number: number) => plan.getByRole('button', { name: String(number) });
  // 10 m to the right, and 5 m down.
  const box = (await plan.boundingBox()) ?? expect.unreachable();
  await room(101).hover();
  await page.mouse.down();
  const start = (await room(101).boundingBox()) ?? expect.unreachable();
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2];
  await page.mouse.move(x + box.width / 4, y + box.height / 4);
  await page.mouse.up();
  await room(102).focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'r']) await page.keyboard.press(key);
  await page.getByLabel('From the left edge (m)').fill('30.5');
  await page.getByLabel('Width').fill('30');
  await visitor.checkPage('floor-arrange');
  await page.getByRole('button', { name: 'Save plan' }).click();
  // The API error is shown beside the field.
  await page.getByLabel('From the left edge (m)').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByLabel('Width').fill('36');
  await page.getByRole('button', { name: 'Save plan' }).click();
  await waitForNotice(page, 'Plan saved.');
  expect(await stored()).toEqual({
    width: 36,
    height: 20,
    rooms: [
      { sensorId: sensorIds[0], x: expect.closeTo(12, 0), y: expect.closeTo(5, 0), rotation: 0 },
      { sensorId: sensorIds[1], x: 30.5, y: 1, rotation: 90 },
    ],
  });
  await page.getByRole('button', { name: 'Arrange' }).click();
  await room(102).focus();
  await page.keyboard.press('Delete');
  await page.getByRole('button', { name: 'Place all' }).click();
  await page.getByText('All rooms of the group are on the plan.').waitFor();
  await page.getByRole('button', { name: 'Save plan' }).click();
  await waitForNotice(page, 'Plan saved.');
  expect((await stored()).rooms.map(({ sensorId }) => sensorId).toSorted()).toEqual(sensorIds.toSorted());
});

test('shows the floor plan on a station screen, which cannot change it', async () => {
  await site.home.client.ok('PUT', path(), ward());
  await inLanguage(site, 'en');
  const { username, password } = site.home;
  await using visitor = await site.open('', {
    expected: [/403/, /429/],
    viewport: { width: 1_920, height: 1_080 },
  });
  const { page } = visitor;
  await page.getByLabel('Username').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('checkbox', { name: /^This is a station screen/ }).check();
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('link', { name: 'Floor plan' }).click();
  await page
    .getByRole('link', { name: /^Room 101, Ward/ })
    .getByText('Fall')
    .waitFor();
  await page
    .getByRole('navigation', { name: 'Floors' })
    .getByRole('link', { name: /South wing\s*1/ })
    .waitFor();
  expect(await page.getByRole('button', { name: 'Arrange' }).count()).toBe(0);
  await visitor.checkPage('floor-display');
});
