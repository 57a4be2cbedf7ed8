import type { DataJob } from '#shared/domain/identity/data-job.ts';
import { belongings } from '#shared/store/subjects/subject-items.ts';
import { shownOf } from '#shared/store/subjects/subject-lines.ts';
import { walk } from '#shared/store/subjects/subject-walk.ts';
import type { Lead } from '#shared/store/subjects/subjects.ts';
import type { JobDeps } from './deps.ts';
import { whoOf } from './who.ts';

/** Gives a line of JSON for each item of a subject, without any secret, and adds up `counts` by kind meanwhile. */
export async function* linesOf(
  { store }: JobDeps,
  job: DataJob,
  leads: readonly Lead[],
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const who = whoOf(job, leads);
  for await (const met of walk(store.subjects, who, leads, belongings)) {
    for (const { kind, item } of met) {
      const shown = shownOf[kind]?.(item, who);
      if (!shown) continue;
      counts[kind] = (counts[kind] ?? 0) + 1;
      yield `${JSON.stringify({ item: kind, ...shown })}\n`;
    }
  }
}
