import { isDoubtful } from '../concurrency/endable.ts';
import type { Runtime } from '../deps.ts';
import type { StoredLine } from '../domain/audit.ts';
import { auditLines } from '../store/audit-lines.ts';
import type { Key } from '../store/key.ts';
import type { Write } from '../store/request.ts';
import { items } from '../store/table.ts';
import { isKnown, lineOf, type Noting } from './audit-line.ts';
import { ApiError, errors } from './errors.ts';
import type { ApiRequest } from './exchange.ts';
import { type Writes, writingBy } from './noted-table.ts';

type Auditing = Pick<Runtime, 'table' | 'failpoint'> & Noting;
type Call = Pick<ApiRequest, 'event' | 'context'>;
type Line = { customerId: number; line: StoredLine };

/** Counts, limits and what is known of addresses are no changes of anything; nor is what the canary notes. */
const unnoted = [items.counter, items.rate, items.knownAddress, items.canaryRound];
const isChange = (key: Key): boolean => unnoted.every((item) => item.read(key) === null);

const keyOf = (write: Write): Key => {
  if ('put' in write) return write.put;
  if ('remove' in write) return write.remove;
  return 'update' in write ? write.update : write.check;
};

/** Makes the writes of a call whose line is kept before the first of them is made. */
const notedWrites = (call: Call, runtime: Auditing) => {
  const { table, failpoint = () => {} } = runtime;
  let ahead: Promise<Line> | null = null;
  /** Writes that were begun, less those of which the table said that they changed nothing. */
  let made = 0;
  const put = async (keys: readonly Key[]): Promise<Line> => {
    const { customerId, line } = lineOf(call, keys, runtime);
    await auditLines(table).put(customerId, line);
    failpoint('audit.kept');
    return { customerId, line };
  };
  const noted = async <T>(
    keys: readonly Key[],
    write: () => Promise<T>,
    isMade: (result: T) => boolean,
  ): Promise<T> => {
    if (!keys.some(isChange)) return write();
    made += 1;
    ahead ??= put(keys);
    await ahead;
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
  /** Takes the line back if the call surely changed nothing. Whatever it still writes has a new line. */
  const takeBack = async (): Promise<void> => {
    if (!ahead || made > 0 || isDoubtful()) return;
    const kept = ahead;
    ahead = null;
    const { customerId, line } = await kept;
    await auditLines(table).takeBack(customerId, line.id);
  };
  return { writes, takeBack };
};

/**
 * Runs a call with a line in the audit ahead of what it changes, so that there is no change without its line: if that cannot
 * be kept, nothing is changed, and the error is that of the table. A call that changed nothing, whether it succeeded or was
 * refused, has no line in the end.
 */
export const audited = async <T>(call: Call, runtime: Auditing, run: () => Promise<T>): Promise<T> => {
  const { writes, takeBack } = notedWrites(call, runtime);
  const result = await writingBy(writes, run).catch(async (error: unknown) => {
    if (error instanceof ApiError) await takeBack();
    throw error;
  });
  await takeBack();
  return result;
};

/** Keeps a line for what a known caller had no right to, and for a login with a wrong password. */
export const noteRefusal = async (call: Call, { code }: ApiError, runtime: Auditing): Promise<void> => {
  if (!isKnown(call.context.exchange) || (errors[code] !== 403 && code !== 'credentials_invalid')) return;
  const { customerId, line } = lineOf(call, [], runtime);
  await auditLines(runtime.table).put(customerId, line);
};
