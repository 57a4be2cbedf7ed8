import { serve } from '../../shared/api/serve.ts';
import { drawToken, hashOf } from '../../shared/auth/tokens.ts';
import { randomUuid } from '../../shared/domain/ids.ts';
import { provisioningKeys } from './contract.ts';

export const handler = serve(provisioningKeys, {
  createProvisioningKey: async ({ body }, { store, now, random }) => {
    const key = drawToken('provisioning', random);
    const record = { ...body, id: randomUuid(random), createDate: now() };
    await store.provisioning.put(hashOf(key), record);
    return { ...record, key };
  },
});
