import type { Table } from './client.ts';
import { changes, where } from './request.ts';
import { items } from './table.ts';

/** Counting against limits. Exact over all instances: the table counts. */
export const limitWrites = (table: Table) => ({
  /**
   * Counts a call of `subject` in the current second and gives the number of this one. No condition and nothing to
   * read first: the second is part of the key, and the item expires.
   */
  countCall: async (subject: string, now: number): Promise<number> => {
    const second = Math.floor(now / 1_000);
    const key = items.rate({ subject, window: second });
    const update = changes({ add: { calls: 1 }, set: { ttl: second + 120 } }, 'UPDATED_NEW');
    return Number((await table.update(key, update))?.calls ?? 1);
  },

  /** Counts a try against a window that starts with the first one, and gives the number of this one. */
  countTry: async (subject: string, windowSeconds: number, now: number): Promise<number> => {
    const key = items.rate({ subject, window: 'tries' });
    const over = now - windowSeconds * 1_000;
    for (;;) {
      const more = changes({ add: { calls: 1 }, if: where('#start > :over', { over }) }, 'UPDATED_NEW');
      const counted = await table.update(key, more);
      if (counted) return Number(counted.calls);
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const afresh = where('attribute_not_exists(pk) OR #start <= :over', { over });
      if (!(await table.write({ put: { ...key, start: now, calls: 1, ttl }, where: afresh }))) return 1;
    }
  },

  /** Takes a try back: it was no wrong one. */
  forgiveTry: async (subject: string): Promise<void> => {
    await table.update(
      items.rate({ subject, window: 'tries' }),
      changes({ add: { calls: -1 }, if: where('#calls > :none', { none: 0 }) }),
    );
  },

  /** The next number of a sequence, from 1. */
  nextNumber: async (name: 'accounts' | 'customers' | 'rules' | 'groups'): Promise<number> =>
    Number((await table.update(items.counter({ name }), changes({ add: { value: 1 } }, 'UPDATED_NEW')))?.value),
});
