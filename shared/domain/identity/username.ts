import { createHash } from 'node:crypto';

/**
 * Returns the key of a username, which ignores case and Unicode form, so that nobody can register a lookalike. It is a
 * hash, because whatever is typed at a login must be a valid key.
 */
export const usernameKey = (username: string): string =>
  createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('base64url');
