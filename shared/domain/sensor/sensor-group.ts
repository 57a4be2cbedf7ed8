import * as z from 'zod';
import { id, millis, text } from '../values.ts';

/** Quotas limit groups to fewer sensors than this. */
const sensorIds = z.array(text(1, 26)).max(5_000);
const examples = [{ name: 'Ward 2', sensorIds: ['id_MDI6MDA6NUU6MTA6MDA6MDE'] }];

export const SensorGroupUpdate = z.object({ name: text(1, 64), sensorIds }).meta({ id: 'SensorGroupUpdate', examples });
export type SensorGroupUpdate = z.output<typeof SensorGroupUpdate>;

export const NewSensorGroup = SensorGroupUpdate.extend({ customerId: id.optional() }).meta({
  id: 'SensorGroupCreation',
  examples,
});

/** A sensor group, which a rule can watch. A sensor is in at most one group. */
export const SensorGroup = z
  .object({
    id,
    createDate: millis,
    updateDate: millis,
    customerId: id,
    name: z.string(),
    sensorIds: z.array(z.string()),
  })
  .meta({ id: 'SensorGroup' });
export type SensorGroup = z.output<typeof SensorGroup>;
