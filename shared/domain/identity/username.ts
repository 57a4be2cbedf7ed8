import { createHash } from 'node:crypto';

/**
 * Returns the key for a username. It ignores case and Unicode form, so that no one can register a lookalike. It is a
 * hash, because anything typed at login must yield a valid key.
 */
export const usernameKey = (username: string): string =>
  createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('base64url');
