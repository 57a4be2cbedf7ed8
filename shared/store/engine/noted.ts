import { isDoubtful } from '#shared/concurrency/endable.ts';
import type { StoredLine } from '#shared/domain/identity/audit.ts';
import type { Key } from '../key.ts';
import { auditLineWrites } from '../people/audit-lines.ts';
import { type Changed, changedBy, isChange } from './changed.ts';
import type { Table } from './client.ts';
import type { Writes } from './noted-table.ts';
import type { Write } from './request.ts';

/** A line of the audit, and the customer that it is under. */
export type Line = { customerId: number; line: StoredLine };

type Noting = {
  table: Table;
  /** Makes the line of a call from what its first write changes. */
  lineFor: (changed: Changed) => Line;
  failpoint: (name: 'audit.kept' | 'audit.changed') => void;
};

const keyOf = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('remove' in write) return write.remove;
  return 'update' in write ? write.update : write.check;
};

/** The line of a call: kept once it is needed, and taken back if it is not. */
const lineAhead = ({ table, lineFor, failpoint }: Noting) => {
  const lines = auditLineWrites(table);
  let ahead: Promise<Line> | null = null;
  const put = async (keys: readonly Key[]): Promise<Line> => {
    const kept = lineFor(changedBy(keys));
    await lines.put(kept.customerId, kept.line);
    failpoint('audit.kept');
    return kept;
  };
  return {
    keep: async (keys: readonly Key[]): Promise<void> => {
      ahead ??= put(keys);
      await ahead;
    },
    /** Whatever is written after this has a new line. */
    takeBack: async (): Promise<void> => {
      const kept = ahead;
      ahead = null;
      if (!kept) return;
      const { customerId, line } = await kept;
      await lines.takeBack(customerId, line.id);
    },
  };
};

/** Makes the writes of a call whose line is kept before the first of them is made. */
export const notedBy = (noting: Noting) => {
  const { table, failpoint } = noting;
  const line = lineAhead(noting);
  /** Writes that were begun, less those of which the table said that they changed nothing. */
  let made = 0;
  const noted = async <T>(
    keys: readonly Key[],
    write: () => Promise<T>,
    isMade: (result: T) => boolean,
  ): Promise<T> => {
    if (!keys.some(isChange)) return write();
    made += 1;
    await line.keep(keys);
    const result = await write();
    failpoint('audit.changed');
    if (!isMade(result)) made -= 1;
    return result;
  };
  const writes: Writes = {
    update: (key, changes) =>
      noted(
        [key],
        () => table.update(key, changes),
        (result) => result !== null,
      ),
    write: (...list) =>
      noted(
        list.map(keyOf),
        () => table.write(...list),
        (failed) => failed === null,
      ),
  };
  /** Takes the line back if the call surely changed nothing. */
  const settle = async (): Promise<void> => {
    if (made === 0 && !isDoubtful()) await line.takeBack();
  };
  return { writes, settle };
};
