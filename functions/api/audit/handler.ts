import { lookedReply } from '../../../shared/api/looked.ts';
import { serve } from '../../../shared/api/serve.ts';
import type { AuditLine } from '../../../shared/domain/audit.ts';
import { AUDIT_KEPT } from '../../../shared/domain/audit-kinds.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import { audit } from './contract.ts';

/** Adds the names that lines lack because the account of their user is from an earlier version. */
const named = async (customerId: number, lines: AuditLine[], store: StoreOf<'users.list'>): Promise<AuditLine[]> => {
  const isUnnamed = ({ actor: { kind, id, name } }: AuditLine) => id !== null && name === null && kind !== 'device';
  if (!lines.some(isUnnamed)) return lines;
  const users = new Map((await store.users.list(customerId)).map(({ id, username }) => [String(id), username]));
  const nameOf = (line: AuditLine) => users.get(line.actor.id ?? '') ?? null;
  return lines.map((line) => (isUnnamed(line) ? { ...line, actor: { ...line.actor, name: nameOf(line) } } : line));
};

export const handler = serve(audit, {
  listAudit: async ({ caller, customerId, query, fail }, { store, now }) => {
    const { since = 0, until = Number.MAX_SAFE_INTEGER - 1 } = query;
    const span = [Math.max(since, now() - AUDIT_KEPT), until] as const;
    const { data, ...page } = await store.audit.page(customerId, span, query);
    // What a customer that was deleted leaves can still be read.
    const isAnybodys = !caller.isAdmin || customerId === 0 || page.total > 0;
    if (!isAnybodys && !(await store.customers.get(customerId))) return fail('customer_not_found');
    return lookedReply(
      { ...page, data: await named(customerId, data, store) },
      { ...query, refused: query.refused?.toString() },
    );
  },
});
