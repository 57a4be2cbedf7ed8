import { describe, expect, test } from 'vitest';
import { createLimiter } from '../../../shared/delivery/limiter.ts';

const forever = () => new Promise(() => {});

describe('a limiter', () => {
  test('lets so many through at a time for each key, and the next in the order of coming', async () => {
    const { enter } = createLimiter(2);
    const order: string[] = [];
    const leaves = await Promise.all(['a', 'b'].map(() => enter('x', forever)));
    const waiting = ['c', 'd'].map(async (name) => {
      const leave = await enter('x', forever);
      order.push(name);
      return leave;
    });
    expect(await enter('y', forever)).not.toBeNull();
    expect(order).toEqual([]);
    leaves[0]?.();
    await waiting[0];
    expect(order).toEqual(['c']);
    leaves[1]?.();
    await waiting[1];
    expect(order).toEqual(['c', 'd']);
  });

  test('sends those away whose patience is over, and loses no place by it', async () => {
    const { enter } = createLimiter(1);
    const leave = await enter('x', forever);
    expect(await enter('x', async () => {})).toBeNull();
    const next = enter('x', forever);
    leave?.();
    (await next)?.();
    expect(await enter('x', async () => {})).not.toBeNull();
  });
});
