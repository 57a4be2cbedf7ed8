import { randomBytes } from 'node:crypto';
import { passwordsAt } from '#shared/auth/password.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { createAdmin } from '../local/first-start.ts';
import { Refusal } from './refusal.ts';

/** Creates a system admin with a random password, and gives the password. It is not stored in clear text. */
export const makeAdmin = async (table: Table, username: string): Promise<string> => {
  const password = randomBytes(15).toString('base64url');
  const deps = { now: Date.now, random: randomBytes, passwords: async () => passwordsAt() };
  if (await createAdmin(store(table), username, password, deps)) return password;
  throw new Refusal(
    `There is a user ${username} already: choose another name (--username). Another system admin may set that user's password (PUT /users/{userId}/password).`,
  );
};
