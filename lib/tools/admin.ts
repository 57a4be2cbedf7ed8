import { randomBytes } from 'node:crypto';
import { createPasswords } from '#shared/auth/password.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { createAdmin } from '../local/first-start.ts';
import { UserError } from './user-error.ts';

/** Creates a system admin with a random password and returns the password, which is stored only as a hash. */
export const createAdminWithPassword = async (table: Table, username: string): Promise<string> => {
  const password = randomBytes(15).toString('base64url');
  const deps = { now: Date.now, random: randomBytes, passwords: async () => createPasswords() };
  if (await createAdmin(store(table), username, password, deps)) return password;
  throw new UserError(
    `The username ${username} is taken: choose another one (--username). To reset that user's password, ask another system admin (PUT /users/{userId}/password).`,
  );
};
