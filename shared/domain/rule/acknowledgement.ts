import * as z from 'zod';
import { id, isFit, lengthOf, millis, text } from '../values.ts';

/** Seals the key that signs addresses: a stage has one, and it never changes. */
export const ADDRESS_KEY = 'acknowledge';
/** How long (s) the address of a delivery is good from when the delivery was made. */
export const ADDRESS_SECONDS = 86_400;
const LONGEST_NAME = 64;

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

const cut = (name: string): string =>
  lengthOf(name) > LONGEST_NAME ? [...name].slice(0, LONGEST_NAME).join('') : name;

/**
 * The name that a receiver gives in a header or a person in a form: without characters that texts must not have, cut to 64
 * characters. Null when nothing is left.
 */
export const nameFrom = (given: string): string | null => {
  const fitting = [...given.toWellFormed()].map((char) => (isFit(char) && char !== '\u007f' ? char : ' ')).join('');
  return cut(fitting.trim()).trim() || null;
};

/** The name of a user, as an acknowledgement shows it. */
export const nameOfUser = ({
  firstName,
  lastName,
  username,
}: {
  firstName: string;
  lastName: string;
  username: string;
}) => `${firstName} ${lastName}`.trim() || username;
