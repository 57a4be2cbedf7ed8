import { expect, test } from 'vitest';
import { memoryStore } from '#test/fixtures/memory-store.ts';
import { now } from '#test/fixtures/store-items.ts';

test('only one import per customer runs until it ends or times out', async () => {
  const { imports } = memoryStore(async () => {}).its;
  const [first, second] = [
    { customerId: 1, id: 'first' },
    { customerId: 1, id: 'second' },
  ];
  expect(await imports.takeTurn(first, now, now + 10)).toBe(true);
  expect(await imports.takeTurn({ ...second, customerId: 2 }, now, now + 10)).toBe(true);
  expect(await imports.takeTurn(second, now + 9, now + 20)).toBe(false);
  expect(await imports.takeTurn(first, now + 9, now + 19)).toBe(true);
  await imports.end(second, 'failed', now);
  expect(await imports.takeTurn(second, now + 18, now + 20)).toBe(false);
  expect(await imports.takeTurn(second, now + 19, now + 29)).toBe(true);
  await imports.end(second, 'completed', now);
  expect(await imports.takeTurn(first, now + 20, now + 30)).toBe(true);
});

test('an import does not wait for a turn that began before the clock was set back', async () => {
  const { imports } = memoryStore(async () => {}).its;
  expect(await imports.takeTurn({ customerId: 1, id: 'first' }, now + 3_600_000, now + 3_900_000)).toBe(true);
  expect(await imports.takeTurn({ customerId: 1, id: 'second' }, now, now + 300_000)).toBe(true);
});
