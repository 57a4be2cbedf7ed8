import { describe, expect, test } from 'vitest';
import { createSemaphore } from '#shared/concurrency/semaphore.ts';

const forever = () => new Promise(() => {});

describe('semaphore', () => {
  test('a semaphore limits permits per key and serves waiting callers in order', async () => {
    const { acquire } = createSemaphore(2, () => null);
    const order: string[] = [];
    const permits = await Promise.all(['a', 'b'].map(() => acquire('x', forever)));
    const waiting = ['c', 'd'].map(async (name) => {
      const permit = await acquire('x', forever);
      order.push(name);
      return permit;
    });
    expect(await acquire('y', forever)).not.toBeNull();
    expect(order).toEqual([]);
    permits[0]?.release();
    await waiting[0];
    expect(order).toEqual(['c']);
    permits[1]?.release();
    await waiting[1];
    expect(order).toEqual(['c', 'd']);
  });

  test('a semaphore serves priority callers first', async () => {
    const { acquire } = createSemaphore(1, () => null);
    const order: string[] = [];
    const permit = await acquire('x', forever);
    const waiting = [{ name: 'a' }, { name: 'b', isFirst: true }, { name: 'c' }, { name: 'd', isFirst: true }].map(
      async ({ name, isFirst }) => {
        const own = await acquire('x', forever, isFirst);
        order.push(name);
        own?.release();
      },
    );
    permit?.release();
    await Promise.all(waiting);
    expect(order).toEqual(['b', 'd', 'a', 'c']);
  });

  test('a semaphore gives all current permits for a key the same shared object', async () => {
    const { acquire } = createSemaphore(2, () => new Set());
    const [first, second, other] = await Promise.all(['x', 'x', 'y'].map((key) => acquire(key, forever)));
    expect(first?.shared).toBe(second?.shared);
    expect(first?.shared).not.toBe(other?.shared);
    first?.release();
    expect([second?.isEmpty(), second?.hasWaiters()]).toEqual([false, false]);
    second?.release();
    expect(second?.isEmpty()).toBe(true);
    expect((await acquire('x', forever))?.shared).not.toBe(first?.shared);
  });

  test('a semaphore returns null after the acquire timeout and does not lose a permit', async () => {
    const { acquire } = createSemaphore(1, () => null);
    const permit = await acquire('x', forever);
    expect(await acquire('x', async () => {})).toBeNull();
    const next = acquire('x', forever);
    permit?.release();
    (await next)?.release();
    expect(await acquire('x', async () => {})).not.toBeNull();
  });
});
