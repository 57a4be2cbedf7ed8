import type { Deps } from '../../../shared/deps.ts';

const WINDOW_SECONDS = 15 * 60;
/** Wrong passwords in 15 minutes that are looked at. */
const MOST = 10;

type Used = 'limits.secondsToWait' | 'limits.countFailure' | 'sessions.passwordHash' | 'hash:passwords';
type Outcome = { isRight: boolean; hash: string | null; waitSeconds: number };

/**
 * Is it the password of the account? Wrong ones are counted as failed logins are, for whoever found a session open must
 * not find out the password by it: `waitSeconds` is above 0 when there were too many.
 */
export const checkPassword = async (
  accountKey: string,
  password: string,
  { store: { limits, sessions }, passwords, now }: Deps<Used>,
): Promise<Outcome> => {
  const subject = `password:${accountKey}`;
  const wait = await limits.secondsToWait(subject, MOST, WINDOW_SECONDS, now());
  if (wait > 0) return { isRight: false, hash: null, waitSeconds: wait };
  const hash = await sessions.passwordHash(accountKey);
  if (await passwords.verify(password, hash)) {
    // Right, but with too many wrong ones at the same time: else that would be a way to try more.
    const waitSeconds = await limits.secondsToWait(subject, MOST, WINDOW_SECONDS, now());
    return { isRight: waitSeconds === 0, hash, waitSeconds };
  }
  const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now());
  return { isRight: false, hash, waitSeconds: count > MOST ? seconds : 0 };
};
