import { backoffAfter } from '#shared/domain/delivery/backoff.ts';
import type { Table } from '../engine/client.ts';
import { absent, changes, where } from '../engine/request.ts';
import { rateKey } from './limits.ts';

/** Seconds after which failures are forgotten when no other follows. */
const MEMORY = 86_400;

/** The number of failures in a row, and until when (ms) further tries are refused. */
type Failures = { failures: number; until?: number; ttl: number };

const waitOf = (row: Failures | null, now: number): number =>
  row && row.ttl > now / 1_000 ? Math.max(0, (row.until ?? 0) - now) : 0;

/** Growing delays between failed tries. Conditional writes make them exact over all instances, also for parallel tries. */
const backoffWrites = (table: Table) => {
  const keyOf = (subject: string) => rateKey(subject, 'failures');
  const read = (subject: string) => table.get<Failures>(keyOf(subject));
  return {
    /** Milliseconds until the next try is allowed; 0: now. */
    wait: async (subject: string, now: number): Promise<number> => waitOf(await read(subject), now),

    /**
     * Counts a failure. From the failure number `from` in a row on, the next try has to wait. Returns 0, or the ms that
     * this try should have waited because others failed meanwhile: then it is not counted.
     */
    fail: async (subject: string, from: number, now: number): Promise<number> => {
      const key = keyOf(subject);
      const second = Math.floor(now / 1_000);
      const ttl = second + MEMORY;
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
     * Forgets the failures after a success. Returns 0, or the ms that this try should have waited because others failed
     * meanwhile: then it does not count as a success.
     */
    succeed: async (subject: string, now: number): Promise<number> => {
      for (;;) {
        const row = await read(subject);
        const wait = waitOf(row, now);
        if (!row || wait > 0) return wait;
        const unchanged = where('attribute_not_exists(pk) OR #failures = :failures', { failures: row.failures });
        if (!(await table.write({ remove: keyOf(subject), where: unchanged }))) return 0;
      }
    },
  };
};

export const backoffs = (table: Table) => backoffWrites(table);
