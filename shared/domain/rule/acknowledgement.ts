import { isFit, lengthOf } from '../values.ts';

/** Seals the key that signs addresses: a stage has one, and it never changes. */
export const ADDRESS_KEY = 'acknowledge';
/** How long (s) the address of a delivery is good from when the delivery was made. */
export const ADDRESS_SECONDS = 86_400;
/** The characters of a name, at most. */
export const LONGEST_NAME = 64;

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
