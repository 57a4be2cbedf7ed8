import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '#shared/runtime/deps.ts';
import { TableUnavailable } from '#shared/store/engine/unavailable.ts';
import { createDeliveryWorld } from '../fixtures/deliveries.ts';

let world: Awaited<ReturnType<typeof createDeliveryWorld>>;
/** Whether updates in the hit partition fail. */
let isThrottled = false;
beforeAll(async () => {
  const wrap = (runtime: Runtime): Runtime => ({
    ...runtime,
    table: {
      ...runtime.table,
      update: (key, ...change) => {
        if (isThrottled && key.pk.endsWith('#HITS')) throw new TableUnavailable('throttled');
        return runtime.table.update(key, ...change);
      },
    },
  });
  world = await createDeliveryWorld({ log: () => {}, wrap });
});
afterAll(() => world.stop());

test('a receiver is called only once while its rule hit cannot be written', async () => {
  const { fall, receiver, list, tries } = await world.furnish();
  isThrottled = true;
  await fall();
  for (let minute = 0; minute < 20; minute++) await world.pass(60_000);
  expect(receiver.received).toHaveLength(1);
  expect((await list('?state=delivered')).data).toMatchObject([{ attempts: 1 }]);
  expect(await tries()).toMatchObject({ allSend: false, tries: [] });
  isThrottled = false;
  for (let minute = 0; minute < 20; minute++) await world.pass(60_000);
  expect(receiver.received).toHaveLength(1);
  expect(await tries()).toMatchObject({ allSend: true, tries: [expect.any(Number)] });
});
