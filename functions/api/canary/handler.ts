import { serve } from '#shared/api/serve.ts';
import { canary } from './contract.ts';

export const handler = serve(canary, {
  receiveCanary: async ({ body }, { store, now }) => {
    await store.canary.completeRound(body.event.uuid, now());
    return { status: 'OK' };
  },
});
