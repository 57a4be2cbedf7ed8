import { afterAll, beforeAll, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import type { RosterEntry } from '#shared/domain/people/roster.ts';
import { store } from '#shared/store/store.ts';
import { hireFor } from '../fixtures/home.ts';
import { choose, waitForNotice } from './fixtures/fields.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

/** A Saturday, at ten in the morning in Berlin. */
const NOW = Date.parse('2026-11-28T09:00:00Z');
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const night = { from: '21:00', to: '06:00' };
const early = { from: '06:00', to: '14:00' };

let site: Site;
let path: string;
const ids: Record<string, number> = {};
/** A home with night and morning shifts on the roster, and a fall rule that notifies the people on duty by SMS. */
beforeAll(async () => {
  site = await startSite('alder', { clock: skippingClock(NOW) });
  const { customerId, client } = site.home;
  path = `/customers/${customerId}/roster`;
  const customer = { name: 'Alder', location: '', email: '', timeZone: 'Europe/Berlin' };
  await site.admin.ok('PUT', `/customers/${customerId}`, customer);
  const { channels } = store(site.cloud.runtime.table);
  for (const [name, by] of Object.entries({ Anna: 'sms', Ben: 'sms', Carla: 'email', Dan: null })) {
    const { id } = await hireFor(site.admin, customerId, name.toLowerCase(), { firstName: name, lastName: 'Meier' });
    ids[name] = id;
    const channel = { by: by ?? 'sms', address: `+4917000000${id}`, provenDate: NOW - 1 } as const;
    if (by) await channels.put({ customerId, userId: id }, channel as Parameters<typeof channels.put>[1], null);
  }
  const rule = { name: 'Falls', title: '{sensor}', message: '{time}', situation: 'fall_detected' };
  await client.ok('POST', '/rules', { ...rule, recipients: [{ onDuty: true, by: 'sms' }] });
});
afterAll(() => site.stop());

const roster = () => site.home.client.ok<RosterEntry[]>('GET', path);
const set = (entries: object[]) => site.home.client.ok('PUT', path, entries);
const usual = () => [
  { userId: ids.Anna, days: ALL_DAYS, ...night },
  { userId: ids.Ben, days: ALL_DAYS, ...early },
  { userId: ids.Carla, days: [1, 2, 3, 4, 5], from: '14:00', to: '21:00' },
  { userId: ids.Ben, date: '2026-11-29', off: true },
];
/** Opens the roster with the browser clock set to the service's time. */
const open = (options: object = {}) =>
  site.openLoggedIn('/roster', site.home, {
    before: (page) => page.clock.setFixedTime(NOW),
    viewport: { width: 1_440, height: 900 },
    ...options,
  });

test.each(variants)(
  'shows shifts, reachability and upcoming gaps in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await set(usual());
    await inLanguage(site, locale);
    await using visitor = await open({ locale, colorScheme, viewport: { width, height: 900 } });
    const { page } = visitor;
    const isGerman = locale === 'de';
    await page
      .getByText(isGerman ? 'ist niemand im Dienst.' : 'Nobody is on duty from')
      .first()
      .waitFor();
    const duty = page.getByRole('region', { name: isGerman ? 'Jetzt im Dienst' : 'On duty now' });
    await duty.getByText('Ben Meier').waitFor();
    await visitor.checkPage(`roster-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  },
);

test('warns about hours when a rule reaches no one on duty, until a shift covers them', async () => {
  await inLanguage(site, 'en');
  await set(usual());
  await using visitor = await open();
  const { page } = visitor;
  const gaps = page.getByRole('region', { name: 'Gaps in the next 14 days' });
  await gaps.getByText(/^Nobody is on duty from Sat,? 28 Nov, 14:00 to 21:00\.$/).waitFor();
  await page.getByRole('link', { name: '1 on duty' }).waitFor();
  await gaps.getByRole('button', { name: 'Add shift' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Choose a person.').waitFor();
  await choose(page, 'Person', 'Anna Meier');
  await visitor.checkPage('roster-add');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await waitForNotice(page, 'Roster saved.');
  await gaps.getByText(/Sat,? 28 Nov, 14:00/).waitFor({ state: 'detached' });
  // The weekly night shift on the same day stays.
  expect((await roster()).filter(({ date }) => date === '2026-11-28')).toEqual([
    { userId: ids.Anna, date: '2026-11-28', ...night },
    { userId: ids.Anna, date: '2026-11-28', from: '14:00', to: '21:00' },
  ]);
});

test('adds, changes and deletes shifts with the keyboard alone', async () => {
  await inLanguage(site, 'en');
  await set([]);
  await using visitor = await open();
  const { page } = visitor;
  await page.getByRole('button', { name: 'Add shift' }).first().focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('textbox', { name: 'Person' })
    .or(dialog.getByRole('combobox', { name: 'Person' }))
    .focus();
  await page.keyboard.type('Carla');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Sun 29').focus();
  await page.keyboard.press('Space');
  await dialog.getByLabel('From').fill('22:30');
  await dialog.getByLabel(/^To/).fill('06:00');
  await dialog.getByText('Ends the next day.').waitFor();
  await page.keyboard.press('Enter');
  const shift = page.getByRole('button', { name: 'Carla Meier, Sun 29, 22:30–06 every week' });
  await shift.focus();
  await page.keyboard.press('Enter');
  await dialog.getByText('Every Sunday').click();
  await dialog.getByLabel(/^To/).fill('07:00');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Carla Meier, Sun 29, 22:30–07 every week' }).waitFor();
  expect(await roster()).toEqual([{ userId: ids.Carla, days: [7], from: '22:30', to: '07:00' }]);
  await page.getByRole('button', { name: 'Carla Meier, Sun 29' }).click();
  await dialog.getByRole('button', { name: 'Add day off' }).click();
  await page.getByRole('button', { name: 'Carla Meier, Sun 29, Off' }).click();
  await dialog.getByRole('button', { name: 'Restore weekly shifts' }).click();
  await page.getByRole('button', { name: 'Carla Meier, Sun 29, 22:30–07 every week' }).click();
  await dialog.getByText('Every Sunday').click();
  await dialog.getByRole('button', { name: 'Delete shift' }).click();
  await expect.poll(roster).toEqual([]);
});

test('creates shifts by dragging across days, moves one by dragging, and copies a week', async () => {
  await inLanguage(site, 'en');
  await set([]);
  await using visitor = await open();
  const { page } = visitor;
  const cell = (name: string, day: number) =>
    page
      .getByRole('row', { name: new RegExp(`^${name}`) })
      .getByRole('cell')
      .nth(day - 1);
  const drag = async (from: ReturnType<typeof cell>, to: ReturnType<typeof cell>) => {
    await from.hover({ position: { x: 20, y: 20 } });
    await page.mouse.down();
    await to.hover({ position: { x: 20, y: 20 } });
    await page.mouse.up();
  };
  await page.getByRole('button', { name: 'Next week' }).click();
  await page.getByText(/30 November . 6 December 2026, Europe.Berlin time/).waitFor();
  await drag(cell('Anna Meier', 2), cell('Anna Meier', 4));
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Only these days').click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await waitForNotice(page, 'Roster saved.');
  const dated = (name: string, ...days: string[]) => days.map((date) => ({ userId: ids[name], date, ...early }));
  expect(await roster()).toEqual(dated('Anna', '2026-12-01', '2026-12-02', '2026-12-03'));
  await drag(cell('Anna Meier', 2), cell('Ben Meier', 5));
  await expect.poll(roster).toEqual([...dated('Anna', '2026-12-02', '2026-12-03'), ...dated('Ben', '2026-12-04')]);

  await page.getByRole('button', { name: 'Copy week' }).click();
  await visitor.checkPage('roster-copy');
  await dialog.getByRole('button', { name: 'Copy week' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect((await roster()).slice(3)).toEqual([
    ...dated('Anna', '2026-12-09', '2026-12-10'),
    ...dated('Ben', '2026-12-11'),
  ]);
});

test('shows an API error beside its field', async () => {
  await inLanguage(site, 'en');
  await set([]);
  await using visitor = await open({ expected: [/400/] });
  const { page } = visitor;
  const { id } = await hireFor(site.admin, site.home.customerId, 'leaver', { firstName: 'Zoe', lastName: 'Meier' });
  await page.getByRole('button', { name: 'Add shift' }).first().waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Add shift' }).first().click();
  await choose(page, 'Person', 'Zoe Meier');
  await site.admin.ok('DELETE', `/users/${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Sun 29').click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog
    .getByRole('textbox', { name: 'Person' })
    .or(dialog.getByRole('combobox', { name: 'Person' }))
    .and(page.locator('[aria-invalid=true]'))
    .waitFor();
  expect(await roster()).toEqual([]);
});

test("keeps another user's concurrent changes to the roster", async () => {
  await inLanguage(site, 'en');
  await set([]);
  await using visitor = await open();
  const { page } = visitor;
  await page.getByRole('button', { name: 'Add shift' }).first().click();
  await set([{ userId: ids.Ben, days: [1], ...early }]);
  await choose(page, 'Person', 'Anna Meier');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Mon 23').click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Anna Meier, Mon 23' }).or(page.getByText('Roster saved.')).first().waitFor();
  expect(await roster()).toEqual([
    { userId: ids.Ben, days: [1], ...early },
    { userId: ids.Anna, days: [1], ...early },
  ]);

  const reader = await hireFor(site.admin, site.home.customerId, 'reader');
  await using other = await site.openLoggedIn('/roster', reader, { before: (tab) => tab.clock.setFixedTime(NOW) });
  await other.page.getByRole('table', { name: 'Shifts by person and day' }).waitFor();
  await other.page.getByText('You can view this, but not change it.').waitFor();
  expect(await other.page.getByRole('button', { name: 'Add shift' }).count()).toBe(0);
});
