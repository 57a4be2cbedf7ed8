import * as z from 'zod';
import { By } from '../rule/recipient.ts';
import { id } from '../values.ts';

/** A person who is notified of alarms that nobody else was notified of, and the channel used. */
const EmergencyContact = z.object({ userId: id, by: By }).meta({ id: 'EmergencyContact' });
export type EmergencyContact = z.output<typeof EmergencyContact>;

/** The emergency contacts of a customer. */
export const EmergencyContacts = z
  .array(EmergencyContact)
  .max(5)
  .meta({ id: 'EmergencyContacts', examples: [[{ userId: 7, by: 'sms' }]] });
