import { afterAll, beforeAll, expect, test } from 'vitest';
import { deviceIdOf, newSensor } from '#shared/domain/sensor/sensor.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { createRoom, type Site, startSite } from './fixtures/site.ts';
import { inLanguage, variants } from './fixtures/variants.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite('long-groups');
  const { client, customerId } = site.home;
  const { sensorId } = await createRoom(site);
  // The first of these additional rooms is offline.
  const sensors = Array.from({ length: 22 }, (_, n) => {
    const hardwareId = (0xac_00_00_00_00_00 + n).toString(16).toUpperCase();
    const device = { id: deviceIdOf(hardwareId), hardwareId, manufacturer: 'maker_a' as const, firmwareVersion: 42 };
    return { ...newSensor(device, Date.now()), customerId, isActive: n > 0, name: `Room ${n + 200}` };
  });
  for (const sensor of sensors) await site.cloud.runtime.table.write({ put: newSensorItem(sensor) });
  const sensorIds = [sensorId, ...sensors.map(({ id }) => id)];
  await client.ok('POST', '/sensor-groups', { name: 'Upper floor', sensorIds });
});
afterAll(() => site.stop());

test.each(variants)(
  'collapses a long room group, with abnormal rooms first, in $locale, $colorScheme, $width pixels wide',
  async ({ locale, colorScheme, width }) => {
    await inLanguage(site, locale);
    const options = { locale, colorScheme, viewport: { width, height: 900 } };
    await using visitor = await site.openLoggedIn('/sensors', site.home, options);
    const { page } = visitor;
    const isGerman = locale === 'de';
    const rooms = page.getByRole('row').filter({ has: page.getByRole('link') });
    const more = page.getByRole('button', { name: isGerman ? '15 weitere: 15 unbekannt' : '15 more: 15 unknown' });
    await more.waitFor();
    // The room with the fall and the offline room are listed first.
    await rooms.nth(0).getByRole('link', { name: 'Room 12, Süd' }).waitFor();
    await rooms.nth(1).getByRole('link', { name: 'Room 200' }).waitFor();
    expect(await rooms.count()).toBe(8);
    if (width > 1_000)
      await rooms
        .nth(0)
        .getByText(/^\d{1,2}:\d\d/)
        .waitFor();
    await visitor.checkPage(`rooms-${locale}-${colorScheme}-${width}`);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await more.click();
    await expect.poll(() => rooms.count()).toBe(23);
    await page.getByRole('button', { name: isGerman ? 'Weniger anzeigen' : 'Show fewer' }).click();
    await expect.poll(() => rooms.count()).toBe(8);
    // A search shows all matches.
    await page.getByRole('searchbox').fill('Room 2');
    await expect.poll(() => rooms.count()).toBe(22);
  },
);
