import { isFit, lengthOf } from '../values.ts';

/** The encryption context of the key that signs links. A stage has one key, which never changes. */
export const ADDRESS_KEY = 'acknowledge';
/** How long (s) the acknowledgement link of a delivery is valid after the delivery was created. */
export const ADDRESS_SECONDS = 86_400;
/** The largest number of characters in a name. */
export const LONGEST_NAME = 64;

const truncated = (name: string): string =>
  lengthOf(name) > LONGEST_NAME ? [...name].slice(0, LONGEST_NAME).join('') : name;

/**
 * Returns the name that a receiver sends in a header, or a person in a form: without forbidden characters, truncated to 64
 * characters. Null if nothing is left.
 */
export const nameFrom = (text: string): string | null => {
  const fitting = [...text.toWellFormed()].map((char) => (isFit(char) && char !== '\u007f' ? char : ' ')).join('');
  return truncated(fitting.trim()).trim() || null;
};

/** Returns the name of a user in an acknowledgement. */
export const nameOfUser = ({
  firstName,
  lastName,
  username,
}: {
  firstName: string;
  lastName: string;
  username: string;
}) => `${firstName} ${lastName}`.trim() || username;
