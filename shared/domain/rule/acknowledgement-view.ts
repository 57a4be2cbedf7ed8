import * as z from 'zod';
import { id, millis, text } from '../values.ts';
import { MAX_NAME_LENGTH } from './acknowledgement.ts';

/** Who acknowledged a rule hit, and when. The first acknowledgement stands until it is withdrawn. */
export const Acknowledgement = z
  .object({
    userId: id.nullable().meta({ description: 'null for a person whom a receiver named, or who opened the link' }),
    name: z.string(),
    date: millis,
  })
  .meta({ id: 'Acknowledgement' });
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** The acknowledgement of a hit in an event. */
export type HitAcknowledgement = Acknowledgement & { ruleHitId: number };

/** The body of a POST to the acknowledgement link of a delivery. Without a name, that of the recipient is used. */
export const Acknowledging = z
  .object({ name: text(1, MAX_NAME_LENGTH).optional() })
  .meta({ id: 'Acknowledging', examples: [{ name: 'Anna Meier' }] });
