import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import type { ListedErasure } from '#shared/store/subjects/data-jobs.ts';

/**
 * Allows for clock differences. An erasure that had already begun at that time is in the recovered table, and
 * continues.
 */
const MARGIN = 60_000;

const restarted = ({ id, customerId, subject, reason, actor = null }: ListedErasure, now: number) => ({
  id,
  customerId,
  subject,
  reason,
  actor,
  kind: 'erasure' as const,
  state: 'running' as const,
  createDate: now,
  updateDate: now,
  counts: {},
  remains: [],
});

/**
 * Repeats in one table the erasures that began in another since a time (ms), because the restored table contains the erased
 * data again. Erasures that it has already are left unchanged. Returns the number of erasures.
 */
export const repeatErasures = async (from: Table, to: Table, since: number, now: number): Promise<number> => {
  const listed = await store(from).dataJobs.erasuresSince(Math.max(0, since - MARGIN));
  for (const job of listed) await store(to).dataJobs.create(restarted(job, now));
  return listed.length;
};
