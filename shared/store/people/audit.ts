import type { AuditLine, StoredLine } from '#shared/domain/identity/audit.ts';
import { auditIdsFrom, timeOfAuditId } from '#shared/domain/identity/audit-id.ts';
import type { LookedPage } from '#shared/domain/page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { type Bounds, firstOf, lookFor } from '../engine/look.ts';
import { items } from '../table.ts';

/** A line costs about half a KB to look at: a stretch is 32 read units, and 44 at its start. */
const BOUNDS: Bounds = { stretch: 500, stretches: 10 };
/** Of so many at the start of a list a reader finds what it has just caused; those behind may lag, at half the price. */
const FRESH = 200;

/** Which lines a page shows. */
type AuditQuery = {
  page: number;
  perPage: number;
  after?: string | undefined;
  actorId?: string | undefined;
  operation?: string | undefined;
  objectKind?: string | undefined;
  objectId?: string | undefined;
  refused?: boolean | undefined;
};

const fits = ({ actor, object, operation, refused }: StoredLine, query: AuditQuery): boolean =>
  (query.actorId === undefined || query.actorId === actor.id) &&
  (query.operation === undefined || query.operation === operation) &&
  (query.objectKind === undefined || query.objectKind === object.kind) &&
  (query.objectId === undefined || query.objectId === object.id) &&
  (query.refused === undefined || query.refused === refused);

export const auditReads = (table: TableReader) => ({
  /** A page of the lines of a customer in a span of time (ms), newest first. */
  page: (customerId: number, [since, until]: readonly [number, number], query: AuditQuery) => {
    const low = auditIdsFrom(since);
    const high = auditIdsFrom(until + 1);
    return lookFor(query, BOUNDS, async (after: string | undefined, limit, isFirst) => {
      // The table refuses a range that ends before it begins, and a start that is outside of its range.
      if (low > high || (after !== undefined && after < low)) return { rows: [], next: undefined };
      const at = (lineId: string) => items.auditLine({ customerId, lineId });
      const isInside = after !== undefined && after <= high;
      const { rows, isWhole } = await firstOf<StoredLine>(
        table,
        {
          pk: at(low).pk,
          between: [at(low).sk, at(high).sk] as const,
          newestFirst: true,
          ...(isInside && { startAfter: at(after) }),
        },
        limit,
        isFirst ? FRESH : 0,
      );
      const lines = rows.map((row): AuditLine => ({ ...row, date: timeOfAuditId(row.id) }));
      return { rows: lines.filter((line) => fits(line, query)), next: isWhole ? undefined : lines.at(-1)?.id };
    }) satisfies Promise<LookedPage<AuditLine>>;
  },
});

export const audit = (table: Table) => auditReads(table);
