import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import type { ListedErasure } from '#shared/store/subjects/data-jobs.ts';

/**
 * Allows for clock differences (ms). An erasure begun before the recovered time is in the recovered table and continues
 * there.
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
 * Repeats in the table `to` the erasures begun in `from` since the given time (ms), because the restored table `to`
 * contains the erased data again. Erasures already in `to` are left unchanged. Returns the number of erasures.
 */
export const repeatErasures = async (from: Table, to: Table, since: number, now: number): Promise<number> => {
  const listed = await store(from).dataJobs.erasuresSince(Math.max(0, since - MARGIN));
  const { dataJobs } = store(to);
  const erasures = listed.filter(({ canceledBy }) => !canceledBy);
  for (const job of erasures) await dataJobs.create(restarted(job, now));
  // A request canceled after the recovered time must not start in the restored table.
  for (const job of listed) if (job.canceledBy) await dataJobs.cancel(restarted(job, now), job.canceledBy, now);
  return erasures.length;
};
