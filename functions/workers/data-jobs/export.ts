import { type DataJob, EXPORT_RETENTION } from '#shared/domain/identity/data-job.ts';
import { erasureRules } from '#shared/store/subjects/erasure-rules.ts';
import { exporters } from '#shared/store/subjects/exporters.ts';
import { leadsOf } from '#shared/store/subjects/subject-places.ts';
import { subjectItems } from '#shared/store/subjects/subject-walk.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import { items } from '#shared/store/table.ts';
import type { JobDeps } from './deps.ts';
import { subjectScopeOf } from './subject-scope.ts';

/** How long (ms) an export is retried before it fails. */
const MAX_AGE_MS = 6 * 3_600_000;

const leadsFor = async ({ store }: JobDeps, { customerId, subject }: DataJob): Promise<Lead[]> => {
  if (subject.kind === 'customer') return leadsOf(store.subjects, customerId);
  if (subject.kind === 'sensor') return [];
  const user = await store.subjects.get(items.user({ customerId, userId: subject.id }));
  return user ? [{ kind: 'user', id: String(subject.id), accountKey: String(user.accountKey) }] : [];
};

/** Yields a line of JSON for each item a subject has, without secrets. Counts items by kind in `counts`. */
async function* linesOf(
  { store }: JobDeps,
  job: DataJob,
  leads: readonly Lead[],
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const who = subjectScopeOf(job, leads);
  for await (const met of subjectItems(store.subjects, who, leads, erasureRules)) {
    for (const { kind, item } of met) {
      const shown = exporters[kind]?.(item, who);
      if (!shown) continue;
      counts[kind] = (counts[kind] ?? 0) + 1;
      yield `${JSON.stringify({ item: kind, ...shown })}\n`;
    }
  }
}

/** Writes all data about a subject to a single file. After a crash, the export starts over. */
export const runExport = async (deps: JobDeps, job: DataJob): Promise<void> => {
  const { store, exports, now } = deps;
  const file = `${job.subject.kind}-${job.id}.zip`;
  if (now() > job.createDate + MAX_AGE_MS) {
    // An earlier run may have saved part of the file.
    await exports.remove(file);
    return store.dataJobs.end(job, { state: 'failed', updateDate: now() }, null);
  }
  const leads = await leadsFor(deps, job);
  const counts: Record<string, number> = {};
  // Loaded here, because erasures do not need ZIP.
  const { zipStream } = await import('#shared/exports/zip.ts');
  await exports.save(file, zipStream(linesOf(deps, job, leads, counts), job, counts));
  const how = { state: 'completed', updateDate: now(), counts, file } as const;
  await store.dataJobs.end(job, how, now() + EXPORT_RETENTION);
};
