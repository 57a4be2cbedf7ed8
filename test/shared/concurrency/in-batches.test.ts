import { expect, test } from 'vitest';
import { inBatches } from '#shared/concurrency/in-batches.ts';

test('inBatches processes every item once, in batches of ten', async () => {
  let running = 0;
  const concurrency: number[] = [];
  const seen: number[] = [];
  const all = Array.from({ length: 25 }, (_, at) => at);
  const act = async (item: number) => {
    concurrency.push(++running);
    await Promise.resolve();
    seen.push(item);
    running--;
  };
  expect([await inBatches(all, act), Math.max(...concurrency), seen]).toEqual([25, 10, all]);
});
