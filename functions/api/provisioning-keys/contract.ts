import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { CreatedProvisioningKey, NewProvisioningKey, ProvisioningKey } from '#shared/domain/sensor/provisioning-key.ts';
import { Status, uuid } from '#shared/domain/values.ts';

export const provisioningKeys = group({
  name: 'provisioning-keys',
  about: 'Keys that devices register with',
  operations: {
    listProvisioningKeys: {
      method: 'GET',
      path: '/provisioning-keys',
      summary: 'List provisioning keys',
      description: 'Returns the key records, oldest first, without the keys themselves.',
      auth: 'user',
      may: 'system_admin',
      success: 200,
      response: z.array(ProvisioningKey),
      uses: ['provisioning.list'],
    },
    createProvisioningKey: {
      method: 'POST',
      path: '/provisioning-keys',
      summary: 'Create a provisioning key',
      description:
        "Creates a key that registers one maker's devices. The key is returned only in this response. It may have an " +
        'expiry date and a limit on new devices.',
      auth: 'user',
      may: 'system_admin',
      body: NewProvisioningKey,
      success: 201,
      response: CreatedProvisioningKey,
      uses: ['provisioning.put'],
    },
    deleteProvisioningKey: {
      method: 'DELETE',
      path: '/provisioning-keys/{keyId}',
      summary: 'Delete a provisioning key',
      description:
        'The key is invalid starting with the next request. Devices already registered with the key are not affected.',
      auth: 'user',
      may: 'system_admin',
      params: z.object({ keyId: uuid }),
      success: 200,
      response: Status,
      errors: ['provisioning_key_not_found'],
      uses: ['provisioning.remove'],
    },
  },
});
