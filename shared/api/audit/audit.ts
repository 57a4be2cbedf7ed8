import type { Runtime } from '#shared/runtime/deps.ts';
import { type Recorder, withRecorder } from '#shared/store/engine/audited-table.ts';
import { auditedBatch } from '#shared/store/engine/audited-writes.ts';
import type { Item } from '#shared/store/engine/request.ts';
import type { Key } from '#shared/store/key.ts';
import { refusals } from '#shared/store/people/refusals.ts';
import { ApiError, errors } from '../errors.ts';
import { type Exchange, operationOf } from '../http/exchange.ts';
import { canOpenGaps } from '../operation.ts';
import { type AuditLineDeps, auditLineOf, hasKnownActor, refusedActor } from './audit-line.ts';

const nameOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

type AuditRuntime = Pick<Runtime, 'table' | 'failpoint'> & AuditLineDeps;

/**
 * Runs a request and writes the audit line before the first change, so that nothing changes without a line. If the line
 * cannot be written, nothing is changed, and the request fails with the table error. A request that changed nothing,
 * whether it succeeded or was refused, leaves no line.
 */
export const withAudit = async <T>(exchange: Exchange, runtime: AuditRuntime, run: () => Promise<T>): Promise<T> => {
  const { table, failpoint = () => {} } = runtime;
  /**
   * One recorder per actor and customer. A login that moves a user changes two customers, and each gets an audit line.
   */
  const recorders = new Map<string, ReturnType<typeof auditedBatch>>();
  const recorder = () => {
    const name = JSON.stringify(exchange.acting ?? null);
    const found =
      recorders.get(name) ??
      auditedBatch({
        table,
        failpoint,
        readBefore: (key) => read.get(nameOf(key)),
        lineFor: (changed) => auditLineOf(exchange, changed, runtime),
        canOpenGaps: canOpenGaps(operationOf(exchange)),
        now: runtime.now,
      });
    recorders.set(name, found);
    return found;
  };
  /** The items read by the request, by key. */
  const read = new Map<string, Item>();
  const calls: Recorder = {
    noteRead: (item) => read.set(nameOf(item), item),
    update: (...args) => recorder().writes.update(...args),
    write: (...args) => recorder().writes.write(...args),
  };
  const settle = () => Promise.all([...recorders.values()].map(({ settle }) => settle()));
  const result = await withRecorder(calls, run).catch(async (error: unknown) => {
    if (error instanceof ApiError) await settle();
    throw error;
  });
  await settle();
  return result;
};

/** Records in the audit log that a known caller was forbidden to make the request, or that a login failed. */
export const recordRefusal = async (exchange: Exchange, { code }: ApiError, runtime: AuditRuntime): Promise<void> => {
  if (!hasKnownActor(exchange) || (errors[code] !== 403 && code !== 'credentials_invalid' && code !== 'oidc_refused'))
    return;
  const { customerId, line } = auditLineOf(exchange, null, runtime);
  await refusals(runtime.table).record({ customerId, actor: refusedActor(exchange, line) }, line, runtime.now());
};
