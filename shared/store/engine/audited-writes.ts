import { isDoubtful } from '#shared/concurrency/endable-work.ts';
import type { StoredAuditEntry } from '#shared/domain/identity/audit.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Key } from '../key.ts';
import { auditLineWrites } from '../people/audit-lines.ts';
import { watchWrites } from '../people/watches.ts';
import type { Writes } from './audited-table.ts';
import type { Table } from './client.ts';
import type { Item, Write } from './request.ts';
import { changeOf, isAudited, type WrittenChange, writtenKey } from './written-change.ts';

/** An audit log line, and the customer it is stored under. */
export type AuditedLine = { customerId: number; line: StoredAuditEntry };

type Auditing = {
  table: Table;
  /** Returns the line for a request, given what the first write changes. */
  lineFor: (changed: WrittenChange) => AuditedLine;
  /** Returns an item as read during the request. */
  readBefore: (key: Key) => Item | undefined;
  /**
   * Whether the request can open a gap in the customer's fall coverage. If so, `noteChange` (watches.ts) is called
   * before the change.
   */
  canOpenGaps: boolean;
  now: () => number;
  failpoint: (name: 'audit.kept' | 'audit.changed') => void;
};

/** The line for a request: stored before the first write, and removed if nothing was changed after all. */
const lineAhead = ({ table, lineFor, readBefore, failpoint, canOpenGaps, now }: Auditing) => {
  const lines = auditLineWrites(table);
  const { noteChange } = watchWrites(table);
  let ahead: Promise<AuditedLine> | null = null;
  const put = async (writes: readonly Write[]): Promise<AuditedLine> => {
    const line = lineFor(changeOf(writes, readBefore));
    const { customerId } = line;
    await lines.put(customerId, line.line);
    if (canOpenGaps && customerId !== UNASSIGNED) await noteChange(customerId, now());
    failpoint('audit.kept');
    return line;
  };
  return {
    ensure: async (writes: readonly Write[]): Promise<void> => {
      ahead ??= put(writes);
      await ahead;
    },
    /** Removes the line. A later write stores a new one. */
    remove: async (): Promise<void> => {
      const stored = ahead;
      ahead = null;
      if (!stored) return;
      const { customerId, line } = await stored;
      await lines.takeBack(customerId, line.id);
    },
  };
};

/** Returns the write methods for a request. The audit log line is stored before the first write. */
export const auditedBatch = (auditing: Auditing) => {
  const { table, failpoint } = auditing;
  const line = lineAhead(auditing);
  /** The number of writes started, except those known to have changed nothing. */
  let made = 0;
  const audited = async <T>(
    list: readonly Write[],
    write: () => Promise<T>,
    isMade: (result: T) => boolean,
  ): Promise<T> => {
    if (!list.some((item) => isAudited(writtenKey(item)))) return write();
    made += 1;
    await line.ensure(list);
    const result = await write();
    failpoint('audit.changed');
    if (!isMade(result)) made -= 1;
    return result;
  };
  const writes: Writes = {
    update: (key, changes) =>
      audited(
        [{ update: key, changes }],
        () => table.update(key, changes),
        (result) => result !== null,
      ),
    write: (...list) =>
      audited(
        list,
        () => table.write(...list),
        (failed) => failed === null,
      ),
  };
  /** Removes the line if the request is known to have changed nothing. */
  const settle = async (): Promise<void> => {
    if (made === 0 && !isDoubtful()) await line.remove();
  };
  return { writes, settle };
};
