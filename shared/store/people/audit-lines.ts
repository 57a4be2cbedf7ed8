import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import { timeOfAuditId } from '#shared/domain/identity/audit-id.ts';
import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import type { Table } from '../engine/client.ts';
import type { Write } from '../engine/request.ts';
import { items } from '../table.ts';

/** Returns the write that stores a line in a transaction. */
export const putAuditLine = (customerId: number, line: StoredAuditEntry): Write => ({
  put: {
    ...line,
    ...items.auditLine({ customerId, lineId: line.id }),
    ttl: Math.ceil((timeOfAuditId(line.id) + AUDIT_RETENTION) / 1_000),
  },
});

export const auditLineWrites = (table: Table) => ({
  put: async (customerId: number, line: StoredAuditEntry): Promise<void> => {
    await table.write(putAuditLine(customerId, line));
  },
  /** Removes the line for a change that was not made after all. */
  takeBack: async (customerId: number, lineId: string): Promise<void> => {
    await table.write({ remove: items.auditLine({ customerId, lineId }) });
  },
});

export const auditLines = (table: Table) => auditLineWrites(table);
