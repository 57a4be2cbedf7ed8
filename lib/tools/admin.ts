import { randomBytes } from 'node:crypto';
import { passwordsAt } from '#shared/auth/password.ts';
import type { Table } from '#shared/store/engine/client.ts';
import { store } from '#shared/store/store.ts';
import { createAdmin } from '../local/first-start.ts';
import { Refusal } from './refusal.ts';

/** Creates a system admin with a random password and returns the password, which is stored only as a hash. */
export const makeAdmin = async (table: Table, username: string): Promise<string> => {
  const password = randomBytes(15).toString('base64url');
  const deps = { now: Date.now, random: randomBytes, passwords: async () => passwordsAt() };
  if (await createAdmin(store(table), username, password, deps)) return password;
  throw new Refusal(
    `The username ${username} is taken: choose another one (--username). To reset that user's password, ask another system admin (PUT /users/{userId}/password).`,
  );
};
