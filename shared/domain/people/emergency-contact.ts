import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { id } from '../values.ts';

/** A person notified of alarms that reached no one else, and the channel used. */
const EmergencyContact = z.object({ userId: id, by: By }).meta({ id: 'EmergencyContact' });
export type EmergencyContact = z.output<typeof EmergencyContact>;

/** A customer's emergency contacts. */
export const EmergencyContacts = z
  .array(EmergencyContact)
  .max(5)
  .meta({ id: 'EmergencyContacts', examples: [[{ userId: 7, by: 'sms' }]] });
