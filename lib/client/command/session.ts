import { type Client, createClient } from '../client.ts';
import { bodyOf, problemOf } from '../problem.ts';
import type { CommandIo } from './command.ts';

type Connection = Omit<Parameters<typeof createClient>[0], 'token' | 'username' | 'password'>;

/** Starts a session, and asks for the second factor if the user has one. */
export const startSession = async (
  connection: Connection,
  io: CommandIo,
  user: { username: string; password: string },
) => {
  const open = createClient(connection);
  const attempt = (more: { otp?: string }) => open.POST('/users/login', { body: { ...user, ...more } });
  let result = await attempt({});
  if (result.response.status === 401 && Object(result.error).otpRequired === true)
    result = await attempt({ otp: (await io.ask('Two-factor code: ')).trim() });
  const me = bodyOf(result);
  const token = result.response.headers.get('Token');
  if (token === null) throw problemOf(result.response, { message: 'the login response has no Token header' });
  return { me, session: createClient({ ...connection, token }) };
};

/** Runs `run` in a separate session, and then ends the session. */
export const inSession = async <T>(
  ...[connection, io, user, run]: [...Parameters<typeof startSession>, (session: Client) => Promise<T>]
): Promise<T> => {
  const { session } = await startSession(connection, io, user);
  try {
    return await run(session);
  } finally {
    await session.POST('/users/logout', {});
  }
};
