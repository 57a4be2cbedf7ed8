import { describe, expect, test } from 'vitest';
import { createLimiter } from '../../../shared/delivery/limiter.ts';

const forever = () => new Promise(() => {});

describe('a limiter', () => {
  test('lets so many through at a time for each key, and the next in the order of coming', async () => {
    const { enter } = createLimiter(2, () => null);
    const order: string[] = [];
    const turns = await Promise.all(['a', 'b'].map(() => enter('x', forever)));
    const waiting = ['c', 'd'].map(async (name) => {
      const turn = await enter('x', forever);
      order.push(name);
      return turn;
    });
    expect(await enter('y', forever)).not.toBeNull();
    expect(order).toEqual([]);
    turns[0]?.leave();
    await waiting[0];
    expect(order).toEqual(['c']);
    turns[1]?.leave();
    await waiting[1];
    expect(order).toEqual(['c', 'd']);
  });

  test('gives those who have a turn at a key at the same time something in common, until the last has left', async () => {
    const { enter } = createLimiter(2, () => new Set());
    const [one, two, other] = await Promise.all(['x', 'x', 'y'].map((key) => enter(key, forever)));
    expect(one?.room).toBe(two?.room);
    expect(one?.room).not.toBe(other?.room);
    one?.leave();
    expect([two?.isEmpty(), two?.isWanted()]).toEqual([false, false]);
    two?.leave();
    expect(two?.isEmpty()).toBe(true);
    expect((await enter('x', forever))?.room).not.toBe(one?.room);
  });

  test('sends those away whose patience is over, and loses no place by it', async () => {
    const { enter } = createLimiter(1, () => null);
    const turn = await enter('x', forever);
    expect(await enter('x', async () => {})).toBeNull();
    const next = enter('x', forever);
    turn?.leave();
    (await next)?.leave();
    expect(await enter('x', async () => {})).not.toBeNull();
  });
});
