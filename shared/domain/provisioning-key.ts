import * as z from 'zod';
import { Manufacturer } from './sensor.ts';
import { int32, millis, text, uuid } from './values.ts';

const limits = z.object({
  expires: millis.nullable().meta({ description: 'from then on (ms) it opens nothing; null: never' }),
  maxDevices: int32(1, 1_000_000).nullable().meta({ description: 'so many new devices at most; null: no limit' }),
});

/** What a system admin sends to create a key. */
export const NewProvisioningKey = z
  .object({
    name: text(1, 64),
    manufacturer: Manufacturer,
    expires: limits.shape.expires.default(null),
    maxDevices: limits.shape.maxDevices.default(null),
  })
  .meta({
    id: 'NewProvisioningKey',
    examples: [{ name: 'Factory line 1', manufacturer: 'maker_a', expires: null, maxDevices: 5_000 }],
  });

/** A key that registers devices; `manufacturer` null: of both makers. The key itself is kept nowhere. */
export const ProvisioningKey = limits
  .extend({
    id: uuid,
    name: z.string(),
    manufacturer: Manufacturer.nullable(),
    createDate: millis,
    devices: z.int().min(0).meta({ description: 'devices that it registered for the first time' }),
    lastUsed: millis.nullable(),
  })
  .meta({ id: 'ProvisioningKey' });
export type ProvisioningKey = z.output<typeof ProvisioningKey>;

/** What the key itself opens: all but what changes with its use. */
export type Provisioner = Omit<ProvisioningKey, 'devices' | 'lastUsed'>;

/** The answer to the creation of a key: the only time that it is shown. */
export const CreatedProvisioningKey = ProvisioningKey.extend({ key: z.string() }).meta({
  id: 'CreatedProvisioningKey',
});
