import { backoffAfter, MAX_BACKOFF } from '#shared/domain/delivery/backoff.ts';
import { isFuture } from '#shared/domain/state/clock.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { rateKey } from './limits.ts';

/** Failures are forgotten after this many seconds without another. */
const MEMORY_SECONDS = 86_400;

/** The number of consecutive failures, and the time (ms) until which further attempts are refused. */
type Failures = { failures: number; until?: number; ttl: number };

/** Returns how long (ms) to wait. A wait that is longer than possible was recorded before the clock was set back. */
const waitOf = (row: Failures | null, now: number): number => {
  const { until = 0, ttl = 0 } = row ?? {};
  return ttl > now / 1_000 && !isFuture(until, now + MAX_BACKOFF) ? Math.max(0, until - now) : 0;
};

/**
 * Growing delays after failed attempts. Conditional writes keep them exact across all processes and parallel attempts.
 */
const backoffWrites = (table: Table) => {
  const failuresKey = (subject: string) => rateKey(subject, 'failures');
  const read = (subject: string) => table.get<Failures>(failuresKey(subject));
  return {
    /** Returns the milliseconds until the next attempt is allowed; 0 means now. */
    wait: async (subject: string, now: number): Promise<number> => waitOf(await read(subject), now),

    /**
     * Counts a failure. After `from` or more consecutive failures, the next attempt has to wait. Returns 0, or how long
     * (ms) this attempt should have waited because other attempts failed concurrently. In that case, it is not counted.
     */
    fail: async (subject: string, from: number, now: number): Promise<number> => {
      const key = failuresKey(subject);
      const second = Math.floor(now / 1_000);
      const ttl = second + MEMORY_SECONDS;
      for (;;) {
        const free = where('attribute_not_exists(pk) OR (#failures < :last AND #ttl > :second)', {
          last: from - 1,
          second,
        });
        if (await table.update(key, changes({ add: { failures: 1 }, set: { ttl }, if: free }))) return 0;
        const row = await read(subject);
        const wait = waitOf(row, now);
        if (wait > 0) return wait;
        const failures = row && row.ttl > second ? row.failures + 1 : 1;
        const unchanged = row
          ? where('#failures = :failures AND #ttl = :ttl', { failures: row.failures, ttl: row.ttl })
          : absent;
        const put = { failures, until: now + backoffAfter(failures, from), ttl, ...key };
        if (!(await table.write({ put, where: unchanged }))) return 0;
      }
    },

    /**
     * Resets the failures after a success. Returns 0, or how long (ms) this attempt should have waited because other
     * attempts failed concurrently. In that case, it does not count as a success.
     */
    reset: async (subject: string, now: number): Promise<number> => {
      for (;;) {
        const row = await read(subject);
        const wait = waitOf(row, now);
        if (!row || wait > 0) return wait;
        const unchanged = where('attribute_not_exists(pk) OR #failures = :failures', { failures: row.failures });
        if (!(await table.write({ remove: failuresKey(subject), where: unchanged }))) return 0;
      }
    },
  };
};

export const backoffs = (table: Table) => backoffWrites(table);
