import type { Runtime } from '#shared/runtime/deps.ts';
import { notedBy } from '#shared/store/engine/noted.ts';
import { type Writes, writingBy } from '#shared/store/engine/noted-table.ts';
import { auditLines } from '#shared/store/people/audit-lines.ts';
import { ApiError, errors } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { isKnown, lineOf, type Noting } from './audit-line.ts';

type Auditing = Pick<Runtime, 'table' | 'failpoint'> & Noting;

/**
 * Runs a call with a line in the audit ahead of what it changes, so that there is no change without its line: if that cannot
 * be kept, nothing is changed, and the error is that of the table. A call that changed nothing, whether it succeeded or was
 * refused, has no line in the end.
 */
export const audited = async <T>(exchange: Exchange, runtime: Auditing, run: () => Promise<T>): Promise<T> => {
  const { table, failpoint = () => {} } = runtime;
  /** By whom the call acts as: a login that moves somebody acts at two customers, and each has its line. */
  const parts = new Map<string, ReturnType<typeof notedBy>>();
  const part = () => {
    const name = JSON.stringify(exchange.acting ?? null);
    const noted =
      parts.get(name) ?? notedBy({ table, failpoint, lineFor: (changed) => lineOf(exchange, changed, runtime) });
    parts.set(name, noted);
    return noted;
  };
  const writes: Writes = {
    update: (...given) => part().writes.update(...given),
    write: (...given) => part().writes.write(...given),
  };
  const settle = () => Promise.all([...parts.values()].map((noted) => noted.settle()));
  const result = await writingBy(writes, run).catch(async (error: unknown) => {
    if (error instanceof ApiError) await settle();
    throw error;
  });
  await settle();
  return result;
};

/** Keeps a line for what a known caller had no right to, and for a login with a wrong password. */
export const noteRefusal = async (exchange: Exchange, { code }: ApiError, runtime: Auditing): Promise<void> => {
  if (!isKnown(exchange) || (errors[code] !== 403 && code !== 'credentials_invalid' && code !== 'oidc_refused')) return;
  const { customerId, line } = lineOf(exchange, null, runtime);
  await auditLines(runtime.table).put(customerId, line);
};
