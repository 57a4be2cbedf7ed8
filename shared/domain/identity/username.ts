import { createHash } from 'node:crypto';

/**
 * Gives the key of a username. Case and Unicode form do not matter, so that nobody can take a name that looks like
 * another one. It is a hash, because any text of a login must be a valid key.
 */
export const usernameKey = (username: string): string =>
  createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('base64url');
