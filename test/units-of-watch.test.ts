import { afterAll, beforeAll, expect, test } from 'vitest';
import { linkSensor } from './fixtures/home.ts';
import { createMetered, type Metered } from './fixtures/metered.ts';

let metered: Metered;
beforeAll(async () => {
  metered = await createMetered();
});
afterAll(() => metered.stop());

test('what is not watched, of 50 sensors and the rule and webhook of a home, costs 4.5 read and 1 write', async () => {
  const home = await metered.furnish('maple');
  for (let more = 1; more < 50; more++) await linkSensor(home.client);
  const path = `/customers/${home.customerId}/watch`;
  const cost = await metered.costOf(1_000, async () => {
    const { sensors } = await home.client.ok<{ sensors: number }>('GET', path);
    expect(sensors).toBe(50);
  });
  expect(cost, metered.ledger.text()).toEqual({ read: 4.5, write: 1 });
});
