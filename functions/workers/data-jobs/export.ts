import { type DataJob, EXPORT_KEPT } from '#shared/domain/identity/data-job.ts';
import { leadsOf } from '#shared/store/subjects/subject-places.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import { items } from '#shared/store/table.ts';
import type { JobDeps } from './deps.ts';
import { linesOf } from './lines.ts';

/** An export that has not come to its end for so long (ms) is given up. */
const LONGEST = 6 * 3_600_000;

const leadsFor = async ({ store }: JobDeps, { customerId, subject }: DataJob): Promise<Lead[]> => {
  if (subject.kind === 'customer') return leadsOf(store.subjects, customerId);
  if (subject.kind === 'sensor') return [];
  const user = await store.subjects.get(items.user({ customerId, userId: subject.id }));
  return user ? [{ kind: 'user', id: String(subject.id), accountKey: String(user.accountKey) }] : [];
};

/** Writes all that is kept of a subject into one file. A run that dies is made again from the beginning. */
export const runExport = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, exports, now } = deps;
  if (now() > job.createDate + LONGEST) return store.dataJobs.end(job, { state: 'failed', updateDate: now() }, null);
  const leads = await leadsFor(deps, job);
  const counts: Record<string, number> = {};
  // An erasure needs no ZIP.
  const { zipped } = await import('#shared/exports/zip.ts');
  const file = `${job.subject.kind}-${job.id}.zip`;
  await exports.save(file, zipped(linesOf(deps, job, leads, counts), job, counts));
  const how = { state: 'completed', updateDate: now(), counts, file } as const;
  await store.dataJobs.end(job, how, now() + EXPORT_KEPT);
};
