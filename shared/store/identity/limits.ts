import { hashOf } from '#shared/domain/ids.ts';
import { isFuture, latestAhead } from '#shared/domain/state/clock.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * Returns a counter key. The subject is hashed because it may contain a user or an address, which must not leave
 * traces.
 */
export const rateKey = (subject: string, window: string | number) => items.rate({ subject: hashOf(subject), window });

type Tries = { start: number; calls: number };
const secondsLeft = (start: number, windowSeconds: number, now: number): number =>
  Math.max(0, Math.ceil((start + windowSeconds * 1_000 - now) / 1_000));

/*
 * A window that starts in the future was recorded before the clock was set back. It does not count as current, because
 * alarms would wait for it.
 */
const isCurrent = (start: number, windowSeconds: number, now: number): boolean =>
  start > now - windowSeconds * 1_000 && !isFuture(start, now);
const CURRENT = '#start > :over AND #start <= :latest';
const NOT_CURRENT = 'attribute_not_exists(pk) OR #start <= :over OR #start > :latest';
const windowValues = (windowSeconds: number, now: number) => ({
  over: now - windowSeconds * 1_000,
  latest: latestAhead(now, 0),
});

/** Reads the attempts counted by `take`: the stored row, and the times (ms) within the window. */
const readTaken = async (table: Table, subject: string, windowSeconds: number, now: number) => {
  const row = await table.get<{ times: number[] }>(rateKey(subject, 'taken'));
  const times = (row?.times ?? []).filter((start) => isCurrent(start, windowSeconds, now));
  return { row, times };
};

/** Counts requests and attempts against limits. The table counts, so limits are exact across all processes. */
const limitWrites = (table: Table) => ({
  /**
   * Counts a request by `subject` in the current second, and returns the request number in that second. The second is
   * part of the key, so this needs neither a condition nor a read. If `by` is -1, uncounts a request counted at `now`.
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
    return tries && isCurrent(tries.start, windowSeconds, now) && tries.calls >= limit
      ? secondsLeft(tries.start, windowSeconds, now)
      : 0;
  },

  /**
   * Counts a failed attempt in a time window that starts with the first failure. Returns the failure number, and the
   * seconds until the window ends.
   */
  countFailure: async (
    subject: string,
    windowSeconds: number,
    now: number,
  ): Promise<{ count: number; seconds: number }> => {
    const key = rateKey(subject, 'tries');
    const window = windowValues(windowSeconds, now);
    for (;;) {
      const count = changes({ add: { calls: 1 }, if: where(CURRENT, window) }, 'ALL_NEW');
      const counted = (await table.update(key, count)) as Tries | null;
      if (counted) return { count: counted.calls, seconds: secondsLeft(counted.start, windowSeconds, now) };
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const isOver = where(NOT_CURRENT, window);
      const put = { start: now, calls: 1, ttl, ...key };
      if (!(await table.write({ put, where: isOver }))) return { count: 1, seconds: windowSeconds };
    }
  },

  /**
   * Counts an attempt in a time window that starts with the first attempt, unless `limit` is reached. Returns the
   * attempt number, or null if none is left. Refused attempts are not counted, so callers with different limits can
   * share a counter.
   */
  countWithin: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<number | null> => {
    const key = rateKey(subject, 'tries');
    const window = windowValues(windowSeconds, now);
    for (;;) {
      const isLeft = where(`${CURRENT} AND #calls < :limit`, { ...window, limit });
      const counted = await table.update(key, changes({ add: { calls: 1 }, if: isLeft }, 'ALL_NEW'));
      if (counted) return Number(counted.calls);
      const tries = await table.get<Tries>(key);
      if (limit < 1 || (tries && isCurrent(tries.start, windowSeconds, now) && tries.calls >= limit)) return null;
      const ttl = Math.ceil(now / 1_000) + windowSeconds;
      const isOver = where(NOT_CURRENT, window);
      if (!(await table.write({ put: { start: now, calls: 1, ttl, ...key }, where: isOver }))) return 1;
    }
  },

  /** Whether at least one of the `limit` attempts allowed within any `windowSeconds` is left. */
  mayTake: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<boolean> => {
    const { times } = await readTaken(table, subject, windowSeconds, now);
    return times.length < limit;
  },

  /** Uses one of the `limit` attempts allowed within any `windowSeconds`. Returns false if none is left. */
  take: async (subject: string, limit: number, windowSeconds: number, now: number): Promise<boolean> => {
    const key = rateKey(subject, 'taken');
    const ttl = Math.ceil(now / 1_000) + windowSeconds;
    for (;;) {
      const { row, times } = await readTaken(table, subject, windowSeconds, now);
      if (times.length >= limit) return false;
      const unchanged = row ? where('#times = :times', { times: row.times }) : absent;
      if (!(await table.write({ put: { times: [...times, now], ttl, ...key }, where: unchanged }))) return true;
    }
  },

  /** Uncounts an attempt that was counted at the given time (ms) but not made. */
  giveBack: async (subject: string, time: number): Promise<void> => {
    const key = rateKey(subject, 'taken');
    const row = await table.get<{ times: number[]; ttl: number }>(key);
    if (!row) return;
    const times = row.times.filter((other) => other !== time);
    const unchanged = where('#times = :times', { times: row.times });
    await table.write({ put: { ...row, ...key, times }, where: unchanged });
  },

  /** Returns the next number in a sequence that starts at 1. */
  nextNumber: async (name: 'accounts' | 'customers' | 'rules' | 'groups'): Promise<number> =>
    Number((await table.update(items.counter({ name }), changes({ add: { value: 1 } }, 'UPDATED_NEW')))?.value),
});

export const limits = (table: Table) => limitWrites(table);
