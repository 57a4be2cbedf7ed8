import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import type { ListedErasure } from '#shared/store/subjects/data-jobs.ts';

/** What of it had begun then is in the recovered table as it was, and goes on by itself. A minute covers clocks that differ. */
const MARGIN = 60_000;

const begun = ({ id, customerId, subject, reason }: ListedErasure, now: number) => ({
  id,
  customerId,
  subject,
  reason,
  kind: 'erasure' as const,
  state: 'running' as const,
  createDate: now,
  updateDate: now,
  counts: {},
  remains: [],
});

/**
 * Begins in one table the erasures that began in another since a time (ms): what they erased was there again. One that is
 * there already is left as it is. Gives their number.
 */
export const repeatErasures = async (from: Table, to: Table, since: number, now: number): Promise<number> => {
  const listed = await store(from).dataJobs.erasuresSince(Math.max(0, since - MARGIN));
  for (const job of listed) await store(to).dataJobs.create(begun(job, now));
  return listed.length;
};
