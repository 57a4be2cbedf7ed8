import { lengthOf, toValidText } from '../values.ts';

/** The encryption context for the key that signs links. Each stage has one key, which never changes. */
export const LINK_KEY_CONTEXT = 'acknowledge';
/** How long (s) an acknowledgement link is valid after the delivery was created. */
export const LINK_SECONDS = 86_400;
/** The maximum number of characters in a name. */
export const MAX_NAME_LENGTH = 64;

const truncated = (name: string): string =>
  lengthOf(name) > MAX_NAME_LENGTH ? [...name].slice(0, MAX_NAME_LENGTH).join('') : name;

/**
 * Returns the name sent by a receiver in a header or entered by a person in a form, with forbidden characters removed
 * and truncated to 64 characters. Null if nothing is left.
 */
export const nameFrom = (text: string): string | null => {
  const valid = toValidText(text.toWellFormed(), ' ');
  return truncated(valid.trim()).trim() || null;
};

/** Returns a user's name for an acknowledgement. */
export const nameOfUser = ({
  firstName,
  lastName,
  username,
}: {
  firstName: string;
  lastName: string;
  username: string;
}) => `${firstName} ${lastName}`.trim() || username;
