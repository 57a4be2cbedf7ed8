import type { Deps } from '../runtime/deps.ts';

const WINDOW_SECONDS = 15 * 60;
/** How many wrong passwords are checked per account and window. */
const MAX_WRONG_PASSWORDS = 10;

type Uses = 'limits.secondsToWait' | 'limits.countFailure' | 'sessions.passwordHash' | 'hash:passwords';
type PasswordCheck = { isRight: boolean; hash: string | null; waitSeconds: number };

/**
 * Checks an account password. Wrong passwords are counted, so that the password cannot be guessed in an open session.
 * `waitSeconds` is above 0 after too many wrong passwords.
 */
export const checkPassword = async (
  accountKey: string,
  password: string,
  { store: { limits, sessions }, passwords, now }: Deps<Uses>,
): Promise<PasswordCheck> => {
  const subject = `password:${accountKey}`;
  const wait = await limits.secondsToWait(subject, MAX_WRONG_PASSWORDS, WINDOW_SECONDS, now());
  if (wait > 0) return { isRight: false, hash: null, waitSeconds: wait };
  const hash = await sessions.passwordHash(accountKey);
  if (await passwords.verify(password, hash)) {
    // Parallel guesses may have reached the limit. Accepting the right password would give a caller extra
    // attempts.
    const waitSeconds = await limits.secondsToWait(subject, MAX_WRONG_PASSWORDS, WINDOW_SECONDS, now());
    return { isRight: waitSeconds === 0, hash, waitSeconds };
  }
  const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now());
  return { isRight: false, hash, waitSeconds: count > MAX_WRONG_PASSWORDS ? seconds : 0 };
};
