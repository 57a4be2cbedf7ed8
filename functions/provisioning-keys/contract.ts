import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { Manufacturer } from '../../shared/domain/sensor.ts';
import { millis, text } from '../../shared/domain/values.ts';

const NewKey = z
  .object({ name: text(1, 64), manufacturer: Manufacturer })
  .meta({ id: 'NewProvisioningKey', examples: [{ name: 'Factory line 1', manufacturer: 'maker_a' }] });

export const provisioningKeys = group({
  name: 'provisioning-keys',
  operations: {
    createProvisioningKey: {
      method: 'POST',
      path: '/provisioning-keys',
      summary: 'Create a key that registers devices of one maker; it is shown only in this answer',
      auth: 'user',
      may: 'system_admin',
      body: NewKey,
      success: 201,
      response: NewKey.extend({ id: z.string(), createDate: millis, key: z.string() }).meta({
        id: 'CreatedProvisioningKey',
      }),
      uses: ['table:write'],
    },
  },
});
