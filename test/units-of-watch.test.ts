import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkSensor } from './fixtures/home.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

test('the watch of a home with 12 sensors costs 4 read and 1 write', async () => {
  const home = await metered.furnish('maple');
  for (let more = 1; more < 12; more++) await linkSensor(home.client);
  const path = `/customers/${home.customerId}/watch`;
  const cost = await metered.costOf(1_000, async () => {
    const { sensors } = await home.client.ok<{ sensors: number }>('GET', path);
    expect(sensors).toBe(12);
  });
  expect(cost, metered.ledger.text()).toEqual({ read: 4, write: 1 });
});
