import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World } from '../contracts/world.ts';
import { fuzz, fuzzWorld } from './fuzz.ts';

let world: World;
beforeAll(async () => {
  world = await fuzzWorld();
});
afterAll(async () => {
  await world.stop();
});

test('250 random requests cause no 5xx, no malformed response and no change to another customer', async () => {
  const { finding, statuses, requests } = await fuzz(world, { requests: 250, seed: 20_260 });
  expect(finding).toBeNull();
  expect(requests).toBe(250);
  // Most requests must get past the first checks. Otherwise, the run proves little.
  expect((statuses[200] ?? 0) + (statuses[201] ?? 0) + (statuses[202] ?? 0)).toBeGreaterThan(60);
});
