import { describe, expect, test } from 'vitest';
import { keyedMutex } from '#shared/concurrency/keyed-mutex.ts';

const forever = () => new Promise<never>(() => {});

describe('one at a time', () => {
  test('runs what has the same key in the order of the calls, though one fails, and other keys beside it', async () => {
    const inTurn = keyedMutex(60_000);
    const order: string[] = [];
    const say = (name: string) => async () => void order.push(name);
    const gate = Promise.withResolvers<void>();
    const failed = inTurn('a', async () => {
      await gate.promise;
      order.push('first');
      throw new Error('no luck');
    });
    const rest = [inTurn('a', say('second')), inTurn('a', say('third'))];
    await inTurn('b', say('another'));
    gate.resolve();
    await expect(failed).rejects.toThrow('no luck');
    await Promise.all(rest);
    expect(order).toEqual(['another', 'first', 'second', 'third']);
  });

  test('is held up by what never ends once, and for no longer than told', async () => {
    const inTurn = keyedMutex(200);
    void inTurn('a', forever);
    const start = performance.now();
    await Promise.all(Array.from({ length: 10 }, () => inTurn('a', async () => {})));
    const ms = performance.now() - start;
    expect(ms).toBeGreaterThanOrEqual(199);
    expect(ms).toBeLessThan(10 * 199);
  });
});
