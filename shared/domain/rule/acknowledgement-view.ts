import * as z from 'zod';
import { id, millis, text } from '../values.ts';
import { LONGEST_NAME } from './acknowledgement.ts';

/** Who takes care of what a rule hit tells of, and since when. The first one stands until it is taken back. */
export const Acknowledgement = z
  .object({
    userId: id.nullable().meta({ description: 'null: a person whom a receiver names, or who followed the address' }),
    name: z.string(),
    date: millis,
  })
  .meta({ id: 'Acknowledgement' });
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** The acknowledgement of a hit, as an event tells of it. */
export type Acknowledged = Acknowledgement & { ruleHitId: number };

/** The body of a POST to the address of a delivery. Without a name it is that of the recipient. */
export const Acknowledging = z
  .object({ name: text(1, LONGEST_NAME).optional() })
  .meta({ id: 'Acknowledging', examples: [{ name: 'Anna Meier' }] });
