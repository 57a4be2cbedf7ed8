import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { CreatedProvisioningKey, NewProvisioningKey, ProvisioningKey } from '#shared/domain/sensor/provisioning-key.ts';
import { Status, uuid } from '#shared/domain/values.ts';

export const provisioningKeys = group({
  name: 'provisioning-keys',
  about: 'Keys with which devices register',
  operations: {
    listProvisioningKeys: {
      method: 'GET',
      path: '/provisioning-keys',
      summary: 'List the keys that register devices, the oldest first; the keys themselves are not shown again',
      auth: 'user',
      may: 'system_admin',
      success: 200,
      response: z.array(ProvisioningKey),
      uses: ['provisioning.list'],
    },
    createProvisioningKey: {
      method: 'POST',
      path: '/provisioning-keys',
      summary: 'Create a key that registers devices of one maker; it is shown only in this answer',
      description: 'It may have an expiry date, and a limit for the devices that it registers for the first time.',
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
      summary: 'Delete a key; it is invalid from the next request on, and devices that it registered stay',
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
