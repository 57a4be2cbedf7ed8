import * as z from 'zod';
import { Manufacturer } from './sensor.ts';
import { millis, text, uuid } from './values.ts';

/** What a system admin sends to create a key. */
export const NewProvisioningKey = z
  .object({ name: text(1, 64), manufacturer: Manufacturer })
  .meta({ id: 'NewProvisioningKey', examples: [{ name: 'Factory line 1', manufacturer: 'maker_a' }] });

/** A key that registers devices; `manufacturer` null: of both makers. The key itself is kept nowhere. */
export const ProvisioningKey = z
  .object({ id: uuid, name: z.string(), manufacturer: Manufacturer.nullable(), createDate: millis })
  .meta({ id: 'ProvisioningKey' });
export type ProvisioningKey = z.output<typeof ProvisioningKey>;

/** The answer to the creation of a key: the only time that it is shown. */
export const CreatedProvisioningKey = ProvisioningKey.extend({ key: z.string() }).meta({
  id: 'CreatedProvisioningKey',
});
