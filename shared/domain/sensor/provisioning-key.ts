import * as z from 'zod';
import { int32, millis, text, uuid } from '../values.ts';
import { Manufacturer } from './sensor.ts';

const limits = z.object({
  expires: millis.nullable().meta({ description: 'when (ms) the key expires; null: never' }),
  maxDevices: int32(1, 1_000_000)
    .nullable()
    .meta({ description: 'how many new devices the key may register; null: no limit' }),
});

/** The request body for creating a provisioning key. */
export const NewProvisioningKey = z
  .object({
    name: text(1, 64),
    manufacturer: Manufacturer,
    expires: limits.shape.expires.default(null),
    maxDevices: limits.shape.maxDevices.default(null),
  })
  .meta({
    id: 'ProvisioningKeyCreation',
    examples: [{ name: 'Factory line 1', manufacturer: 'maker_a', expires: null, maxDevices: 5_000 }],
  });

/**
 * A provisioning key, used by devices to register. `manufacturer` is null if the key is for both makers. The key itself
 * is not stored.
 */
export const ProvisioningKey = limits
  .extend({
    id: uuid,
    name: z.string(),
    manufacturer: Manufacturer.nullable(),
    createDate: millis,
    devices: z.int().min(0).meta({ description: 'how many devices were registered for the first time with the key' }),
    lastUsed: millis.nullable(),
  })
  .meta({ id: 'ProvisioningKey' });
export type ProvisioningKey = z.output<typeof ProvisioningKey>;

/** A caller with a provisioning key: the parts of the key that do not change with use. */
export type Provisioner = Omit<ProvisioningKey, 'devices' | 'lastUsed'>;

/** The response after creating a key. The key is only returned here. */
export const CreatedProvisioningKey = ProvisioningKey.extend({ key: z.string() }).meta({
  id: 'CreatedProvisioningKey',
});
