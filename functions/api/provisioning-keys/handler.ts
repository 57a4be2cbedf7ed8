import { serve } from '#shared/api/serve.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { sortedBy } from '#shared/domain/page.ts';
import { provisioningKeys } from './contract.ts';

export const handler = serve(provisioningKeys, {
  listProvisioningKeys: async (_, { store }) => sortedBy(await store.provisioning.list(), 'asc(createDate)'),

  createProvisioningKey: async ({ body, refuse }, { store, now, random }) => {
    if (body.expires !== null && body.expires <= now()) refuse('expires', 'invalid');
    const key = drawToken('provisioning', random);
    const record = { ...body, id: randomUuid(random), createDate: now() };
    await store.provisioning.put(hashSecret(key), record);
    return { ...record, devices: 0, lastUsed: null, key };
  },

  deleteProvisioningKey: async ({ params, fail }, { store }) =>
    (await store.provisioning.remove(params.keyId)) ? { status: 'OK' } : fail('provisioning_key_not_found'),
});
