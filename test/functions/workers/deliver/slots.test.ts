import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { acquireSlot, createWaiter } from '#functions/workers/deliver/circuit.ts';
import { createWebhookSemaphore } from '#shared/delivery/webhook-client.ts';

const never = new Promise<void>(() => {});
/** Stands in for an object of which only these fields are read. */
const partial = (fields: object) => fields as never;

test('wakes waiting deliveries when a request ends', async () => {
  const permit = await createWebhookSemaphore().acquire('w', () => never);
  if (!permit) throw new Error('there is no permit');
  const slot = await acquireSlot(partial({ now: () => 0 }), permit, partial({ consecutiveFailures: 0 }), 'free');
  const waiters = [createWaiter(), createWaiter()];
  for (const waiter of waiters) permit.shared.waiters.add(waiter);
  const woken = Promise.all(waiters.map(({ wait }) => wait(never)));
  slot?.release();
  expect(await woken).toHaveLength(2);
});

test('a delivery that was woken earlier still waits until its timeout', async () => {
  const waiter = createWaiter();
  waiter.wake();
  const timeout = Promise.withResolvers<void>();
  let isOver = false;
  const waited = waiter.wait(timeout.promise).then(() => {
    isOver = true;
  });
  await setImmediate();
  expect(isOver).toBe(false);
  timeout.resolve();
  await waited;
});
