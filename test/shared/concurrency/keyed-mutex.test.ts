import { afterEach, describe, expect, test, vi } from 'vitest';
import { keyedMutex } from '#shared/concurrency/keyed-mutex.ts';

const forever = () => new Promise<never>(() => {});

afterEach(() => void vi.useRealTimers());

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
    vi.useFakeTimers();
    const runInOrder = keyedMutex(200);
    void runInOrder('a', forever);
    let ended = 0;
    for (let call = 0; call < 10; call++) void runInOrder('a', async () => ended++);
    await vi.advanceTimersByTimeAsync(199);
    expect(ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toBe(10);
  });
});
