import { lengthOf, toValidText } from '../values.ts';

/** The encryption context of the key that signs links. A stage has one key, which never changes. */
export const LINK_KEY_CONTEXT = 'acknowledge';
/** How long (s) the acknowledgement link of a delivery is valid after the delivery was created. */
export const LINK_SECONDS = 86_400;
/** The largest number of characters in a name. */
export const MAX_NAME_LENGTH = 64;

const truncated = (name: string): string =>
  lengthOf(name) > MAX_NAME_LENGTH ? [...name].slice(0, MAX_NAME_LENGTH).join('') : name;

/**
 * Returns the name that a receiver sent in a header or a person entered in a form: without forbidden characters,
 * truncated to 64 characters. Null if nothing is left.
 */
export const nameFrom = (text: string): string | null => {
  const valid = toValidText(text.toWellFormed(), ' ');
  return truncated(valid.trim()).trim() || null;
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
