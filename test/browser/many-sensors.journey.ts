import { afterAll, beforeAll, expect, test } from 'vitest';
import { deviceIdOf, newSensor } from '#shared/domain/sensor/sensor.ts';
import { newSensorItem } from '#shared/store/sensors/sensor-item.ts';
import { type Site, startSite } from './fixtures/site.ts';

const COUNT = 10_000;
let site: Site;
beforeAll(async () => {
  site = await startSite('many');
  const { home, cloud } = site;
  const sensorOf = (n: number) => {
    const hardwareId = (0xab_00_00_00_00_00 + n).toString(16).toUpperCase();
    const device = { id: deviceIdOf(hardwareId), hardwareId, manufacturer: 'maker_a' as const, firmwareVersion: 42 };
    const sensor = { ...newSensor(device, Date.now()), customerId: home.customerId, isActive: n % 4 > 0 };
    return { put: newSensorItem({ ...sensor, name: `Room ${String(n).padStart(5, '0')}` }) };
  };
  for (let at = 0; at < COUNT; at += 100)
    await cloud.runtime.table.write(...Array.from({ length: 100 }, (_, n) => sensorOf(at + n)));
}, 120_000);
afterAll(() => site.stop());

test('counts 10,000 sensors, and searches, sorts and pages through the list', {
  timeout: 90_000,
}, async () => {
  await using visitor = await site.openLoggedIn();
  const { page, checkPage } = visitor;
  await page.getByRole('button', { name: '0 of 10,000 watched' }).waitFor();
  await checkPage('overview-many');
  await page.getByRole('link', { name: /^2,500 of 10,000 rooms are not watched/ }).click();
  await page.getByText('2500 entries').or(page.getByText('2,500 entries')).waitFor();
  await page.getByRole('link', { name: 'Room 00000' }).waitFor();

  await page.getByRole('link', { name: 'Rooms' }).click();
  await page.getByRole('link', { name: 'Room 00001' }).waitFor();
  await checkPage('sensors-many');
  await page.getByRole('button', { name: 'Page 100 of 100' }).click();
  await page.getByRole('link', { name: 'Room 09999' }).waitFor();
  await page.getByRole('searchbox').fill('room 04711');
  await page.getByRole('link', { name: 'Room 04711' }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  await page.getByRole('link', { name: 'Room 04711' }).click();
  await page.getByRole('heading', { name: 'Room 04711' }).waitFor();
});

test('finds a sensor among 10,000 by name when creating a rule', async () => {
  await using visitor = await site.openLoggedIn('/rules/new');
  const { page } = visitor;
  await page.getByText('One sensor', { exact: true }).click();
  await page
    .getByRole('combobox', { name: 'Sensor' })
    .or(page.getByRole('textbox', { name: 'Sensor' }))
    .fill('04711');
  await page.getByRole('option', { name: 'Room 04711' }).click();
  await page.getByRole('region', { name: 'What this rule does' }).getByText('Room 04711').waitFor();
});
