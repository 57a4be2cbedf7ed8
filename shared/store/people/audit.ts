import type { AuditEntry, StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import { firstAuditIdAt, timeOfAuditId } from '#shared/domain/identity/audit-id.ts';
import type { PartialPage } from '#shared/domain/page.ts';
import { type ReadBounds, readFirst, readPage } from '../engine/bounded-page.ts';
import type { Table, TableReader } from '../engine/client.ts';
import { items } from '../table.ts';

/** Reading a line counts as about half a KB. A chunk costs 32 read units, and the first chunk costs 44. */
const BOUNDS: ReadBounds = { stretch: 500, stretches: 10 };
/** The number of lines read consistently at the start of a list. Later ones may lag, at half the cost. */
const FRESH = 200;

/** Selects the lines on a page. */
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

const matches = ({ actor, object, operation, refused }: StoredAuditEntry, query: AuditQuery): boolean =>
  (query.actorId === undefined || query.actorId === actor.id) &&
  (query.operation === undefined || query.operation === operation) &&
  (query.objectKind === undefined || query.objectKind === object.kind) &&
  (query.objectId === undefined || query.objectId === object.id) &&
  (query.refused === undefined || query.refused === refused);

export const auditReads = (table: TableReader) => ({
  /** Returns a page of audit lines from `since` to `until` (ms), newest first. */
  page: (customerId: number, [since, until]: readonly [number, number], query: AuditQuery) => {
    const low = firstAuditIdAt(since);
    const high = firstAuditIdAt(until + 1);
    return readPage(query, BOUNDS, async (after: string | undefined, limit, isFirst) => {
      // DynamoDB rejects a range that ends before it starts, and a start outside the range.
      if (low > high || (after !== undefined && after < low)) return { rows: [], next: undefined };
      const at = (lineId: string) => items.auditLine({ customerId, lineId });
      const isInside = after !== undefined && after <= high;
      const { rows, isWhole } = await readFirst<StoredAuditEntry>(
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
      const lines = rows.map((row): AuditEntry => ({ details: [], ...row, date: timeOfAuditId(row.id) }));
      return { rows: lines.filter((line) => matches(line, query)), next: isWhole ? undefined : lines.at(-1)?.id };
    }) satisfies Promise<PartialPage<AuditEntry>>;
  },
});

export const audit = (table: Table) => auditReads(table);
