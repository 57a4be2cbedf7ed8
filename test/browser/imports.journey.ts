import { afterAll, beforeAll, expect, test } from 'vitest';
import { derivedUlid } from '#shared/domain/ids.ts';
import type { Rule } from '#shared/domain/rule/rule.ts';
import { store } from '#shared/store/store.ts';
import { register } from '../fixtures/client.ts';
import { ADMIN_PASSWORD, PROVISIONING_KEY } from '../fixtures/cloud.ts';
import { importOf } from '../fixtures/data-jobs.ts';
import { nextHardwareId } from '../fixtures/home.ts';
import { NOW } from '../fixtures/stub-deps.ts';
import { waitForNotice } from './fixtures/fields.ts';
import { note } from './fixtures/measured.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';
import type { Visitor } from './fixtures/visitor.ts';

const SENSORS = 200;
const USERS = 40;
const RULES = 20;

let site: Site;
const hardwareIds: string[] = [];
/** A home, and unassigned sensors. */
beforeAll(async () => {
  site = await startSite('hazel');
  for (let at = 0; at < SENSORS; at++) {
    const hardwareId = nextHardwareId();
    await register(site.admin, PROVISIONING_KEY, hardwareId);
    hardwareIds.push(hardwareId);
  }
}, 120_000);
afterAll(() => site.stop());

const csv = (header: string, rows: readonly string[]): string => [header, ...rows].join('\r\n');
const numbered = <T>(count: number, row: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => row(at));

/** Chooses a file on the import page, which checks it at once. */
const choose = (page: Visitor['page'], text: string, encoding: BufferEncoding = 'utf8') =>
  page
    .getByLabel('CSV file, at most 1,000 rows')
    .setInputFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(text, encoding) });

test.each(variants)(
  'lists all 30 errors in an imported file in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 }, expected: [/400/] };
    await using visitor = await site.openLoggedIn('/imports?kind=rules', site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    await page.locator('summary').first().click();
    await page.getByRole('cell', { name: 'untilAcknowledged' }).waitFor();
    const rows = numbered(30, (at) => `Rule ${at},{sensor},{time},fall_detected,nobody-${at}:email`);
    await page.locator('input[type=file]').setInputFiles({
      name: 'rules.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(csv('name,title,message,situation,recipients', rows)),
    });
    const errors = page.getByRole('table', {
      name: isGerman ? '30 Fehler, nichts wurde importiert' : '30 errors, nothing was imported',
    });
    await errors.waitFor();
    const places = (await errors.getByRole('row').allTextContents())
      .slice(1)
      .map((text) => text.match(/^\d+recipients/)?.[0]);
    expect(places).toEqual(numbered(30, (at) => `${at + 1}recipients`));
    await visitor.checkPage(`imports-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  },
);

test('imports 200 sensors, 40 users and 20 rules, and changes nothing on a second import', {
  timeout: 120_000,
}, async () => {
  await inLanguage(site, 'en');
  // Only a system admin may link unassigned sensors.
  const admin = { username: 'admin', password: ADMIN_PASSWORD };
  await using visitor = await site.openLoggedIn('/sensors', admin);
  const { page } = visitor;
  const begin = Date.now();
  const files = {
    'Rooms and sensors': csv(
      'hardwareId;name;group',
      hardwareIds.map((id, at) => `${id};Room ${at + 101};Ward ${Math.floor(at / 20) + 1} Süd`),
    ),
    Users: csv(
      'username,firstName,lastName,email',
      numbered(USERS, (at) => `nurse-${at},Nurse,${at},nurse-${at}@example.com`),
    ),
    Rules: csv(
      'name,title,message,situation,recipients',
      numbered(RULES, (at) => `Rule ${at},{sensor},{time},fall_detected,onDuty:sms`),
    ),
  };
  const counts = { 'Rooms and sensors': SENSORS, Users: USERS, Rules: RULES };
  await page.getByRole('link', { name: 'Import' }).click();
  for (const [kind, text] of Object.entries(files)) {
    await page.getByRole('radiogroup').getByText(kind, { exact: true }).click();
    await choose(page, text, kind === 'Rooms and sensors' ? 'latin1' : 'utf8');
    const rows = counts[kind as keyof typeof counts];
    await page.getByRole('button', { name: `Import ${rows} rows` }).click();
    await page.getByRole('heading', { name: 'Import completed' }).waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Import another file' }).click();
  }
  const seconds = (Date.now() - begin) / 1_000;
  note(`import of ${SENSORS} sensors, ${USERS} users and ${RULES} rules: ${seconds.toFixed(1)} s in the browser`);
  expect(seconds).toBeLessThan(60);
  for (const [kind, text] of Object.entries(files)) {
    await page.getByRole('radiogroup').getByText(kind, { exact: true }).click();
    await choose(page, text, kind === 'Rooms and sensors' ? 'latin1' : 'utf8');
    await page.getByText('This file would change nothing').waitFor();
    expect(await page.getByRole('button', { name: /^Import \d/ }).count()).toBe(0);
  }
  const { customerId, client } = site.home;
  const [sensors, users, rules] = await Promise.all(
    ['/sensors', '/users', '/rules'].map((path) => client.ok<{ total: number }[]>('GET', path)),
  );
  expect([sensors, users, rules].map((pages) => pages?.[0]?.total)).toEqual([SENSORS, USERS + 1, RULES]);
  const groups = await store(site.cloud.runtime.table).sensorGroups.list(customerId);
  expect(groups.map(({ name }) => name)).toContain('Ward 1 Süd');
});

test('offers an import template, and resumes an import after a reload', async () => {
  await inLanguage(site, 'en');
  await using visitor = await site.openLoggedIn('/rules');
  const { page } = visitor;
  await page.getByRole('link', { name: 'Import' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download template' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('rules.csv');
  await choose(
    page,
    csv('name,title,message,situation,recipients', ['Night,{sensor},{time},fall_detected,onDuty:sms']),
  );
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.waitForURL(/import=/);
  await page.reload();
  await page.getByRole('heading', { name: 'Import completed' }).waitFor();
  await visitor.checkPage('imports-completed');
  await page.getByRole('link', { name: 'Show the list' }).click();
  await page.getByLabel('Search').fill('Night');
  await page.getByRole('button', { name: 'Copy rule: Night' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('');
  await dialog.getByLabel('Name').fill('Night, south wing');
  await visitor.checkPage('rule-copy');
  await dialog.getByRole('button', { name: 'Copy rule' }).click();
  await waitForNotice(page, 'Rule copied. Now make your changes.');
  await page.getByRole('heading', { name: 'Night, south wing', level: 1 }).waitFor();
  const [rules] = await site.home.client.ok<{ data: Rule[] }[]>('GET', '/rules?searchText=Night');
  const [one, other] = rules?.data ?? [];
  const { id: _, createDate: __, updateDate: ___, name: ____, ...copied } = other ?? expect.unreachable();
  expect(one).toMatchObject(copied);
});

test.each(variants)(
  'shows an import that was not finished in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await inLanguage(site, locale);
    const { customerId } = site.home;
    const job = { ...importOf({ customerId, imported: 'rules' }), id: derivedUlid(NOW, locale, colorScheme) };
    await store(site.cloud.runtime.table).imports.create({ ...job, state: 'failed' }, [], '');
    const options = { locale, colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn(`/imports?kind=rules&import=${job.id}`, site.home, options);
    const title = locale === 'de' ? 'Import nicht abgeschlossen' : 'Import not finished';
    await visitor.page.getByRole('heading', { name: title }).waitFor();
    await visitor.checkPage(`import-unfinished-${locale}-${colorScheme}-${width}`);
  },
);
