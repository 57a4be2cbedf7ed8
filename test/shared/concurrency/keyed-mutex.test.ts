import { describe, expect, test } from 'vitest';
import { keyedMutex } from '#shared/concurrency/keyed-mutex.ts';

const forever = () => new Promise<never>(() => {});

describe('keyed mutex', () => {
  test('a keyed mutex runs calls in order per key, and different keys in parallel', async () => {
    const runInOrder = keyedMutex(60_000);
    const order: string[] = [];
    const record = (name: string) => async () => void order.push(name);
    const gate = Promise.withResolvers<void>();
    const failed = runInOrder('a', async () => {
      await gate.promise;
      order.push('first');
      throw new Error('failed');
    });
    const rest = [runInOrder('a', record('second')), runInOrder('a', record('third'))];
    await runInOrder('b', record('another'));
    gate.resolve();
    await expect(failed).rejects.toThrow('failed');
    await Promise.all(rest);
    expect(order).toEqual(['another', 'first', 'second', 'third']);
  });

  test('a stuck call delays the calls behind it by only one timeout', async () => {
    const runInOrder = keyedMutex(200);
    void runInOrder('a', forever);
    const start = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => runInOrder('a', async () => {})));
    const ms = performance.now() - start;
    expect(ms).toBeGreaterThanOrEqual(199);
    expect(ms).toBeLessThan(10 * 199);
  });
});
