import { partialListReply } from '#shared/api/http/partial-list.ts';
import { serve } from '#shared/api/serve.ts';
import { AUDIT_RETENTION } from '#shared/domain/identity/audit-kinds.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import { audit } from './contract.ts';
import { withNames } from './object-names.ts';

export const handler = serve(audit, {
  listAudit: async ({ caller, customerId, query, fail }, { store, now }) => {
    const { since = 0, until = Number.MAX_SAFE_INTEGER - 1 } = query;
    const span = [Math.max(since, now() - AUDIT_RETENTION), until] as const;
    const { data, ...page } = await store.audit.page(customerId, span, query);
    // The log of a deleted customer remains readable.
    const isKnown = !caller.isAdmin || customerId === UNASSIGNED || page.total > 0;
    if (!isKnown && !(await store.customers.get(customerId))) return fail('customer_not_found');
    const named = await withNames(customerId, data, store);
    return partialListReply({ ...page, data: named }, { ...query, refused: query.refused?.toString() });
  },
});
