import { expect, test } from 'vitest';
import { inBatches } from '#shared/concurrency/in-batches.ts';

test('a batch is done before the next begins, and every one is done once', async () => {
  let running = 0;
  const most: number[] = [];
  const seen: number[] = [];
  const all = Array.from({ length: 25 }, (_, at) => at);
  const act = async (item: number) => {
    most.push(++running);
    await Promise.resolve();
    seen.push(item);
    running--;
  };
  expect([await inBatches(all, act), Math.max(...most), seen]).toEqual([25, 10, all]);
});
