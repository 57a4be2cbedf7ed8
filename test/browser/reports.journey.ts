import { afterAll, beforeAll, expect, test } from 'vitest';
import { skippingClock } from '#lib/local/clock.ts';
import { changes } from '#shared/store/engine/request.ts';
import { idBeforeFirst } from '#shared/store/hits/hit-item.ts';
import { store } from '#shared/store/store.ts';
import { items } from '#shared/store/table.ts';
import { seedHits } from '../fixtures/hits.ts';
import { linkSensor } from '../fixtures/home.ts';
import { type Site, startSite } from './fixtures/site.ts';
import { inLanguage } from './fixtures/variants.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const ROOMS = 12;
const FALLS = 90;

let site: Site;
/** A home with one fall a day for 90 days. Every third fall is a false alarm, and every seventh is unanswered. */
beforeAll(async () => {
  site = await startSite('maple', { clock: skippingClock(Date.now()) });
  const { customerId, client } = site.home;
  const { table } = site.cloud.runtime;
  const sensors: string[] = [];
  for (let room = 1; room <= ROOMS; room++) {
    const { sensorId } = await linkSensor(client);
    sensors.push(sensorId);
    const at = `/sensors/${sensorId}/maker_a/config/basic`;
    await client.ok('PUT', at, { ...(await client.ok('GET', at)), name: room === 1 ? '=1+1' : `Room ${100 + room}` });
  }
  const log = { customerId, sensors, count: FALLS, from: Date.now() - (FALLS + 1) * DAY, stepMs: DAY };
  for (const { id: hitId, sensorId, createDate } of await seedHits(table, log)) {
    const number = hitId - idBeforeFirst(customerId);
    const acknowledgement = { userId: 1, name: 'Nurse', date: createDate + ((number % 9) + 1) * MINUTE };
    if (number % 7 > 0) await table.update(items.ruleHit({ customerId, hitId }), changes({ set: { acknowledgement } }));
    const feedback = {
      id: hitId * 1_000,
      createDate,
      updateDate: createDate,
      accountId: 1,
      sensorId,
      forwardToMakerA: false,
      referenceDate: createDate,
      reason: 'pet',
      description: '',
      eventId: null,
      ruleHitId: hitId,
      classification: 'FALSE_POSITIVE' as const,
    };
    if (number % 3 === 0) await store(table).feedback.create(customerId, feedback);
  }
}, 60_000);
afterAll(() => site.stop());

const variants = [
  { locale: 'en', colorScheme: 'light', width: 1_440 },
  { locale: 'de', colorScheme: 'dark', width: 390 },
] as const;

test.each(variants)(
  'reports falls, false alarms and response times by month and room in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn('', site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    if (isGerman) await page.getByRole('button', { name: 'Mehr' }).click();
    await page.getByRole('link', { name: isGerman ? 'Berichte' : 'Reports' }).click();
    await page.getByRole('region', { name: isGerman ? 'Monate im Vergleich' : 'Monthly comparison' }).waitFor();
    await page.locator('canvas').nth(2).waitFor();
    await visitor.checkPage(`reports-${locale}-${colorScheme}-${width}`);
    const rooms = page.getByRole('table', { name: isGerman ? 'Nach Raum' : 'By room' });
    expect(await rooms.getByRole('row').count()).toBe(ROOMS + 1);
  },
);

test('downloads the table for another month as a file', async () => {
  await inLanguage(site, 'en');
  await using visitor = await site.openLoggedIn('/reports');
  const { page } = visitor;
  await page.getByRole('combobox', { name: 'Month' }).click();
  await page.getByRole('option').nth(1).click();
  await page.waitForURL(/month=20\d\d-\d\d/);
  const month = new URL(page.url()).searchParams.get('month') ?? '';
  const days = new Date(Number(month.slice(0, 4)), Number(month.slice(5)), 0).getDate();
  // One fall a day.
  await page.getByRole('definition').first().getByText(String(days), { exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download table (CSV)' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^report-\\d+-${month}-01-${month}-${days}\\.csv$`));
  const text = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  const lines = text.trim().split('\r\n');
  expect(lines).toHaveLength(ROOMS + 1);
  expect(lines.filter((line) => line.startsWith(`${month},true,'=1+1,`))).toHaveLength(1);
  const falls = lines.slice(1).reduce((sum, line) => sum + Number(line.split(',')[4]), 0);
  expect(falls).toBe(days);
});

test('states that one month has too many entries, and shows the other months', async () => {
  await using visitor = await site.openLoggedIn('', site.home, { expected: [/409/] });
  const { page } = visitor;
  const body = JSON.stringify({ message: 'This period has more entries than one report can count', statusCode: 409 });
  const today = new Date().toISOString().slice(0, 7);
  await page.route(`**/report?from=${today}`, (route) =>
    route.fulfill({ status: 409, contentType: 'application/json', body }),
  );
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByText('This period has more entries').waitFor();
  await page.getByRole('region', { name: 'Monthly comparison' }).waitFor();
});
