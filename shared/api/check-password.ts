import type { Deps } from '../runtime/deps.ts';

const WINDOW_SECONDS = 15 * 60;
/** How many wrong passwords are checked in 15 minutes. */
const MOST = 10;

type Used = 'limits.secondsToWait' | 'limits.countFailure' | 'sessions.passwordHash' | 'hash:passwords';
type PasswordCheck = { isRight: boolean; hash: string | null; waitSeconds: number };

/**
 * Is this the password of the account? Wrong ones are counted, because nobody may use an open session to find out the
 * password. `waitSeconds` is above 0 if there were too many.
 */
export const checkPassword = async (
  accountKey: string,
  password: string,
  { store: { limits, sessions }, passwords, now }: Deps<Used>,
): Promise<PasswordCheck> => {
  const subject = `password:${accountKey}`;
  const wait = await limits.secondsToWait(subject, MOST, WINDOW_SECONDS, now());
  if (wait > 0) return { isRight: false, hash: null, waitSeconds: wait };
  const hash = await sessions.passwordHash(accountKey);
  if (await passwords.verify(password, hash)) {
    // The right password is refused after too many wrong ones at the same time, which would allow more tries otherwise.
    const waitSeconds = await limits.secondsToWait(subject, MOST, WINDOW_SECONDS, now());
    return { isRight: waitSeconds === 0, hash, waitSeconds };
  }
  const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now());
  return { isRight: false, hash, waitSeconds: count > MOST ? seconds : 0 };
};
