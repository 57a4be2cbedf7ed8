import type { OnDutyView } from '#shared/domain/people/duty.ts';
import type { Gap } from '#shared/domain/watch/gap.ts';
import { isUpToDate, type Watch } from '#shared/domain/watch/watch.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { absent, where } from '../engine/request.ts';
import { items } from '../table.ts';

/**
 * Gaps in fall coverage that existed at `to` (ms), but not at `from`. `from` is null if no watch had been computed
 * before.
 */
export type OpenedGaps = { from: number | null; to: number; gaps: Gap[] };
/**
 * A customer's watch as last computed. `opened`: the gaps that had opened by then and have not been checked since.
 * `onDuty`: who was on duty then; missing in older watches.
 */
export type StoredWatch = { watch: Watch; opened: OpenedGaps[]; onDuty?: OnDutyView[] };
/** A watch as stored: JSON is smaller than a map of attributes. `revision` counts its changes. */
type WatchItem = { revision: number; content: string };
/** A watch as read. */
export type ReadWatch = StoredWatch & { revision: number };

/** A customer for which a user changed something that fall coverage may depend on, and when (ms) this last happened. */
export type ChangedCustomer = { customerId: number; at: number };

const HOUR_SECONDS = 3_600;
/** How long (s) a watch is kept when it is no longer computed, for example because the customer was deleted. */
const KEPT_SECONDS = 30 * 24 * HOUR_SECONDS;

/** The maximum number of watches a process remembers. */
const MAX_KNOWN = 100;

export const watchReads = (table: TableReader) => {
  const known = new Map<number, ReadWatch>();
  const get = async (customerId: number): Promise<ReadWatch | null> => {
    const { pk, sk } = items.watch({ customerId });
    // A query, because a single read that finds nothing would be repeated.
    const [item] = (await table.query<WatchItem>({ pk, beginsWith: sk, consistent: false })).items;
    return item ? { ...(JSON.parse(item.content) as StoredWatch), revision: item.revision } : null;
  };
  return {
    /** Returns a customer's watch; null if none is known. It may be a few seconds old. */
    get,
    /**
     * Returns the watch last read by this process, if it is up to date; otherwise reads it like `get`. While a watch is
     * up to date, no process computes another one.
     */
    latest: async (customerId: number, now: number): Promise<ReadWatch | null> => {
      const remembered = known.get(customerId);
      if (remembered && isUpToDate(remembered.watch, now)) return remembered;
      const read = await get(customerId);
      if (known.size >= MAX_KNOWN) known.clear();
      if (read) known.set(customerId, read);
      return read;
    },
    /** Returns the customers for which users have changed something since the last check. */
    changedCustomers: async (): Promise<ChangedCustomer[]> => {
      const found = await table.queryAll<{ customerId: number; at: number }>({ pk: items.changedCustomer.pk({}) });
      return found.map(({ customerId, at }) => ({ customerId, at }));
    },
  };
};

export const watchWrites = (table: Table) => ({
  /**
   * Replaces a customer's watch. `before` is null if there is none yet. Returns false if another process got there
   * first.
   */
  put: async (
    customerId: number,
    { watch, opened, onDuty = [] }: StoredWatch,
    before: ReadWatch | null,
  ): Promise<boolean> => {
    const ttl = Math.ceil(watch.date / 1_000) + KEPT_SECONDS;
    const content = JSON.stringify({ watch, opened, onDuty } satisfies StoredWatch);
    const item = { revision: (before?.revision ?? 0) + 1, content, ttl, ...items.watch({ customerId }) };
    const unchanged = before ? where('#revision = :revision', { revision: before.revision }) : absent;
    return (await table.write({ put: item, where: unchanged })) === null;
  },
  /** Records that a user is about to change something that fall coverage may depend on. */
  noteChange: async (customerId: number, at: number): Promise<void> => {
    const ttl = Math.ceil(at / 1_000) + HOUR_SECONDS;
    await table.write({ put: { customerId, at, ttl, ...items.changedCustomer({ customerId }) } });
  },
  /** Records that changes to a customer up to `at` have been checked. */
  endChange: async ({ customerId, at }: ChangedCustomer): Promise<void> => {
    await table.write({ remove: items.changedCustomer({ customerId }), where: where('#at = :at', { at }) });
  },
});

export const watches = (table: Table) => ({ ...watchReads(table), ...watchWrites(table) });
