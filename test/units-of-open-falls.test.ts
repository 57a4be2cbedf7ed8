import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cloud } from '#lib/local/cloud.ts';
import { createLedger } from './bench/meter.ts';
import { startTestCloud, unscheduled } from './fixtures/cloud.ts';
import { adminOf, createHome, fallMessage, linkSensor } from './fixtures/home.ts';

const { meter, wrap, ...ledger } = createLedger();
let cloud: Cloud;
beforeAll(async () => {
  cloud = await startTestCloud({ clock: unscheduled, meter, wrap });
});
afterAll(() => cloud.stop());

test('listing open falls costs 0.5 read units, plus 2.5 per sensor with a fall', async () => {
  const { client, customerId } = await createHome(await adminOf(cloud.url), 'larch', ['manage_sensors']);
  const { device, sensorId } = await linkSensor(client);
  const cost = async () => {
    ledger.clear();
    const list = `/customers/${customerId}/open-falls`;
    const [page] = await client.ok<{ data: { falls: { uuid: string }[] }[] }[]>('GET', list);
    const { 'get account': _, 'get session': __, ...lines } = ledger.lines();
    const read = Object.values(lines).reduce((sum, line) => sum + line.read, 0);
    return { page, read };
  };
  expect((await cost()).read, ledger.text()).toBe(0.5);
  await device.ok('POST', `/devices/${sensorId}/messages`, fallMessage('calling', Date.now()));
  await cloud.idle();
  const { page, read } = await cost();
  expect(read, ledger.text()).toBe(3);
  const uuid = page?.data[0]?.falls[0]?.uuid;
  await client.ok('PUT', `/sensors/${sensorId}/falls/${uuid}/acknowledgement`, {});
  await cloud.idle();
  expect((await cost()).read, ledger.text()).toBe(4);
});
