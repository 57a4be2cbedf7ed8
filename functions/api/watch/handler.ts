import { currentWatch } from '#shared/api/current-watch.ts';
import { serve } from '#shared/api/serve.ts';
import { watch } from './contract.ts';

export const handler = serve(watch, {
  getWatch: async ({ customerId, fail }, deps) =>
    (await currentWatch(deps, customerId, { waits: true }))?.watch ?? fail('customer_not_found'),
});
