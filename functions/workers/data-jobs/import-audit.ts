import { isDeepStrictEqual } from 'node:util';
import { withFields } from '#shared/api/audit/audit-details.ts';
import type { AuditObject } from '#shared/domain/identity/audit.ts';
import { auditIdOf } from '#shared/domain/identity/audit-id.ts';
import type { ImportJob, RowProblem } from '#shared/domain/import/import-job.ts';
import type { JobDeps } from './deps.ts';

/** An import, with the IP address of the request that began it. */
export type AuditedImport = ImportJob & { address: string };
/** Why a step could not be applied. Null if it was applied, now or earlier. */
export type Outcome = Omit<RowProblem, 'row'> | null;

/** A change made by an import, and the API operation to record it as. `before` is null for a new object. */
type Change = { operation: string; object: AuditObject; before: object | null; after: object };

/** Fields set by the service itself. */
const ownFields: ReadonlySet<string> = new Set(['id', 'customerId', 'createDate', 'updateDate']);

const changedFields = ({ before, after }: Change): string[] => {
  const known = new Map(Object.entries(before ?? {}));
  return Object.entries(after).flatMap(([field, value]) =>
    ownFields.has(field) || (before && isDeepStrictEqual(value, known.get(field))) ? [] : [field],
  );
};

/**
 * Applies a change, after storing the audit line that an equivalent API request would write. It shows which rules and
 * rights an import changed. If nothing changed after all, the line is removed.
 */
export const audited = async (
  { store: { auditLines }, now, random }: Pick<JobDeps, 'store' | 'now' | 'random'>,
  { id: requestId, customerId, actor, address }: AuditedImport,
  change: Change,
  make: () => Promise<Outcome>,
): Promise<Outcome> => {
  const { operation, object, before, after } = change;
  const fields = changedFields(change);
  if (before && fields.length === 0) return make();
  const id = auditIdOf(now(), random(6));
  const made = { id, actor, address, operation, object, requestId, refused: false };
  await auditLines.put(customerId, withFields(made, fields, before ? [{ before, after }] : []));
  const outcome = await make();
  if (outcome) await auditLines.takeBack(customerId, id);
  return outcome;
};
