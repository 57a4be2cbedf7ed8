import * as z from 'zod';
import { id, millis, storedText, text } from '../values.ts';
import { MAX_NAME_LENGTH } from './acknowledgement.ts';

/** Who acknowledged a rule hit, and when. The first acknowledgement stands until it is withdrawn. */
export const Acknowledgement = z
  .object({
    userId: id
      .nullable()
      .meta({ description: 'null for a person named by a receiver, or who used the link without a user' }),
    name: z.string(),
    date: millis,
  })
  .meta({ id: 'Acknowledgement' });
export type Acknowledgement = z.infer<typeof Acknowledgement>;

/** The maximum note length in characters. */
const MAX_NOTE_LENGTH = 256;

/** An acknowledgement with the user's note, which only the customer's users see. */
export const NotedAcknowledgement = Acknowledgement.extend({
  note: storedText(1, MAX_NOTE_LENGTH).optional().meta({ description: 'missing if there is none' }),
}).meta({ id: 'NotedAcknowledgement' });
export type NotedAcknowledgement = z.infer<typeof NotedAcknowledgement>;

export const FallOutcome = z.enum(['helped', 'got_up', 'false_alarm']);

/** Who closed a fall first, and how the fall turned out. */
export const FallClosure = z
  .object({
    outcome: FallOutcome,
    note: storedText(1, MAX_NOTE_LENGTH).optional().meta({ description: 'missing if there is none' }),
    userId: id.nullable(),
    name: z.string(),
    date: millis,
  })
  .meta({ id: 'FallClosure' });
export type FallClosure = z.infer<typeof FallClosure>;

/** The note in a request. */
const Note = text(0, MAX_NOTE_LENGTH);
/** The request body for acknowledging an alarm. */
export const AcknowledgingUser = z
  .object({
    note: Note.optional().meta({ description: 'a request without it keeps the note' }),
    name: text(1, MAX_NAME_LENGTH).optional().meta({
      description: 'who acknowledges at a display: required in display sessions, ignored in all others',
    }),
  })
  .meta({
    id: 'AcknowledgingUser',
    examples: [{ note: 'On my way, with the lifting cushion' }, {}, { name: 'Anna Meier' }],
  });
export type AcknowledgingUser = z.output<typeof AcknowledgingUser>;

/** The request body for closing a fall. */
export const ClosingUser = z
  .object({
    outcome: FallOutcome,
    note: Note.optional().meta({ description: 'a request without it keeps the note' }),
  })
  .meta({ id: 'ClosingUser', examples: [{ outcome: 'helped', note: 'Slipped on the rug, unhurt' }] });
export type ClosingUser = z.infer<typeof ClosingUser>;

/** The alarm acknowledgement in an event. `ruleHitId` is null if the fall was acknowledged as a whole. */
export type HitAcknowledgement = Acknowledgement & { ruleHitId: number | null };

/** The body of a POST to the acknowledgement link in a delivery. If there is no name, the recipient's name is used. */
export const Acknowledging = z
  .object({ name: text(1, MAX_NAME_LENGTH).optional() })
  .meta({ id: 'Acknowledging', examples: [{ name: 'Anna Meier' }] });
