import { hashOf } from '#shared/domain/ids.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * The key of a count. Its subject is hashed: it may name a user or an address, of which nothing is to be left once they are
 * erased.
 */
export const rateKey = (subject: string, window: string | number) => items.rate({ subject: hashOf(subject), window });

type Tries = { start: number; calls: number };
const secondsLeft = (start: number, windowSeconds: number, now: number): number =>
  Math.max(0, Math.ceil((start + windowSeconds * 1_000 - now) / 1_000));

/** Counts calls and tries against limits, exactly over all instances because the table counts. */
const limitWrites = (table: Table) => ({
  /**
   * Counts a call of `subject` in the current second, and returns its number in that second. It needs no condition and no
   * read, because the second is part of the key. `by` -1 takes back a call that was counted at `now`.
   */
  countCall: async (subject: string, now: number, by: 1 | -1 = 1): Promise<number> => {
    const second = Math.floor(now / 1_000);
    const update = changes({ add: { calls: by }, set: { ttl: second + 120 } }, 'UPDATED_NEW');
    const counted = await table.update(rateKey(subject, second), update);
    return Number(counted?.calls ?? 1);
  },

  /** Seconds until `subject` may try again; 0 means now. */
  secondsToWait: async (subject: string, most: number, windowSeconds: number, now: number): Promise<number> => {
    const tries = await table.get<Tries>(rateKey(subject, 'tries'));
    return tries && tries.calls >= most ? secondsLeft(tries.start, windowSeconds, now) : 0;
  },

  /**
   * Counts a failed try in a window of time that starts with the first failure. Returns the number of this failure, and the
   * seconds until the window ends.
   */
  countFailure: async (
    subject: string,
    windowSeconds: number,
    now: number,
  ): Promise<{ count: number; seconds: number }> => {
    const key = rateKey(subject, 'tries');
    const over = now - windowSeconds * 1_000;
    for (;;) {
      const more = changes({ add: { calls: 1 }, if: where('#start > :over', { over }) }, 'ALL_NEW');
      const counted = (await table.update(key, more)) as Tries | null;
      if (counted) return { count: counted.calls, seconds: secondsLeft(counted.start, windowSeconds, now) };
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const afresh = where('attribute_not_exists(pk) OR #start <= :over', { over });
      const put = { start: now, calls: 1, ttl, ...key };
      if (!(await table.write({ put, where: afresh }))) return { count: 1, seconds: windowSeconds };
    }
  },

  /** Takes one of `most` tries within a span of so many seconds. False when all are taken. */
  take: async (subject: string, most: number, windowSeconds: number, now: number): Promise<boolean> => {
    const key = rateKey(subject, 'taken');
    const ttl = Math.ceil(now / 1_000) + windowSeconds;
    for (;;) {
      const row = await table.get<{ times: number[] }>(key);
      const times = (row?.times ?? []).filter((time) => time > now - windowSeconds * 1_000);
      if (times.length >= most) return false;
      const unchanged = row ? where('#times = :times', { times: row.times }) : absent;
      if (!(await table.write({ put: { times: [...times, now], ttl, ...key }, where: unchanged }))) return true;
    }
  },

  /** The next number of a sequence, from 1. */
  nextNumber: async (name: 'accounts' | 'customers' | 'rules' | 'groups'): Promise<number> =>
    Number((await table.update(items.counter({ name }), changes({ add: { value: 1 } }, 'UPDATED_NEW')))?.value),
});

export const limits = (table: Table) => limitWrites(table);
