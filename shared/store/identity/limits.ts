import { hashOf } from '#shared/domain/ids.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/** The key of a count. Its subject is hashed, because it may contain a user or an address, which must leave no trace. */
export const rateKey = (subject: string, window: string | number) => items.rate({ subject: hashOf(subject), window });

type Tries = { start: number; calls: number };
const secondsLeft = (start: number, windowSeconds: number, now: number): number =>
  Math.max(0, Math.ceil((start + windowSeconds * 1_000 - now) / 1_000));

/** Counts calls and attempts against limits, exactly across all processes because the table counts. */
const limitWrites = (table: Table) => ({
  /**
   * Counts a call of `subject` in the current second, and returns its number in that second. The second is part of the key,
   * so this needs neither a condition nor a read. `by` -1 uncounts a call that was counted at `now`.
   */
  countCall: async (subject: string, now: number, by: 1 | -1 = 1): Promise<number> => {
    const second = Math.floor(now / 1_000);
    const update = changes({ add: { calls: by }, set: { ttl: second + 120 } }, 'UPDATED_NEW');
    const counted = await table.update(rateKey(subject, second), update);
    return Number(counted?.calls ?? 1);
  },

  /** Returns the seconds until `subject` may try again; 0 means now. */
  secondsToWait: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<number> => {
    const tries = await table.get<Tries>(rateKey(subject, 'tries'));
    return tries && tries.calls >= limit ? secondsLeft(tries.start, windowSeconds, now) : 0;
  },

  /**
   * Counts a failed attempt in a time window that starts with the first failure. Returns the number of this failure, and
   * the seconds until the window ends.
   */
  countFailure: async (
    subject: string,
    windowSeconds: number,
    now: number,
  ): Promise<{ count: number; seconds: number }> => {
    const key = rateKey(subject, 'tries');
    const over = now - windowSeconds * 1_000;
    for (;;) {
      const count = changes({ add: { calls: 1 }, if: where('#start > :over', { over }) }, 'ALL_NEW');
      const counted = (await table.update(key, count)) as Tries | null;
      if (counted) return { count: counted.calls, seconds: secondsLeft(counted.start, windowSeconds, now) };
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const isOver = where('attribute_not_exists(pk) OR #start <= :over', { over });
      const put = { start: now, calls: 1, ttl, ...key };
      if (!(await table.write({ put, where: isOver }))) return { count: 1, seconds: windowSeconds };
    }
  },

  /**
   * Counts an attempt in a time window that starts with the first one, unless `limit` have been counted. Returns its number,
   * or null if none is left. What is refused is not counted, so callers with different limits can share a count.
   */
  countWithin: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<number | null> => {
    const key = rateKey(subject, 'tries');
    const over = now - windowSeconds * 1_000;
    for (;;) {
      const isLeft = where('#start > :over AND #calls < :limit', { over, limit });
      const counted = await table.update(key, changes({ add: { calls: 1 }, if: isLeft }, 'ALL_NEW'));
      if (counted) return Number(counted.calls);
      const tries = await table.get<Tries>(key);
      if (limit < 1 || (tries && tries.start > over && tries.calls >= limit)) return null;
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const isOver = where('attribute_not_exists(pk) OR #start <= :over', { over });
      if (!(await table.write({ put: { start: now, calls: 1, ttl, ...key }, where: isOver }))) return 1;
    }
  },

  /** Uses one of the `limit` attempts allowed within any `windowSeconds`. False if none is left. */
  take: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<boolean> => {
    const key = rateKey(subject, 'taken');
    const ttl = Math.ceil(now / 1_000) + windowSeconds;
    for (;;) {
      const row = await table.get<{ times: number[] }>(key);
      const times = (row?.times ?? []).filter((time) => time > now - windowSeconds * 1_000);
      if (times.length >= limit) return false;
      const unchanged = row ? where('#times = :times', { times: row.times }) : absent;
      if (!(await table.write({ put: { times: [...times, now], ttl, ...key }, where: unchanged }))) return true;
    }
  },

  /** Returns the next number of a sequence that starts at 1. */
  nextNumber: async (name: 'accounts' | 'customers' | 'rules' | 'groups'): Promise<number> =>
    Number((await table.update(items.counter({ name }), changes({ add: { value: 1 } }, 'UPDATED_NEW')))?.value),
});

export const limits = (table: Table) => limitWrites(table);
