import { serve } from '#shared/api/serve.ts';
import { openFalls } from './contract.ts';

export const handler = serve(openFalls, {
  listOpenFalls: async ({ caller, customerId, query, fail }, { store, now }) => {
    if (caller.isAdmin && !(await store.customers.get(customerId))) return fail('customer_not_found');
    return [await store.openFalls.page(customerId, query, now())];
  },
});
