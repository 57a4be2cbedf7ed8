import { resetMail } from '../../../shared/api/messages/texts.ts';
import type { Passwords } from '../../../shared/auth/password.ts';
import { hashOf } from '../../../shared/auth/tokens.ts';
import { settledWithin } from '../../../shared/concurrency/settled-within.ts';
import type { Deps } from '../../../shared/deps.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import type { auth } from './contract.ts';
import { countFailure } from './throttle.ts';

type Mailing = Deps<(typeof auth)['operations']['requestPasswordReset']['uses'][number]>;

const MINUTES = 30;
/** Mails to an account in any hour. One more is not sent, and its sender is told the same. */
const MOST_MAILS = 3;
/**
 * ms that an answer takes, whatever there is to do: longer than it takes to send a mail, also at the second try
 * (shared/mail.ts). What is not done then is given up: with its answer a Lambda freezes.
 */
const ANSWER_AFTER = 3_000;

/** Mails a code to whoever has that username, may log in, and has an address. */
const mailCode = async (username: string, { store, now, random, mail }: Mailing): Promise<void> => {
  const accountKey = await store.sessions.accountKeyOf(username);
  const account = accountKey === null ? null : await store.sessions.account(accountKey);
  if (accountKey === null || !account?.canLogin) return;
  const user = await store.users.get(account.customerId, account.accountId);
  if (!user || user.email === '') return;
  if (!(await store.limits.take(`mail:${accountKey}`, MOST_MAILS, 3_600, now()))) return;
  const code = Buffer.from(random(24)).toString('base64url');
  const expires = now() + MINUTES * 60_000;
  // Both of the account as it was read before the address was.
  const { epoch, mailbox } = account;
  await store.resets.create(hashOf(code), { accountKey, epoch, mailbox, expires });
  const { subject, text } = await resetMail(user.locale, code, MINUTES);
  await mail(user.email, subject, text);
};

/**
 * Answers a wish for a code in a time, and in words, that do not tell whether anybody has that name: also when the mail,
 * or the table, hangs or fails. Gives the seconds to wait when it was one wish too many, else 0.
 */
export const requestReset = async (
  username: string,
  address: string,
  deps: Mailing,
  answerAfter = ANSWER_AFTER,
): Promise<number> => {
  const seconds = await countFailure(deps.store, 'reset', username, address, deps.now());
  if (seconds > 0) return seconds;
  const mailing = mailCode(username, deps).catch((error: unknown) =>
    deps.log('error', 'no code was mailed', {}, error),
  );
  await Promise.all([settledWithin(mailing, answerAfter), deps.pause(answerAfter)]);
  return 0;
};

type Confirmation = { code: string; newPassword: string };

/** Sets the password that a code is for, once; whose it is, or null: the code is good for nothing. */
export const confirmReset = async (
  { resets }: StoreOf<'resets.byHash' | 'resets.use'>,
  { code, newPassword }: Confirmation,
  now: number,
  passwords: Passwords,
): Promise<string | null> => {
  const hash = hashOf(code);
  const reset = await resets.byHash(hash);
  if (!reset || reset.expires <= now) return null;
  return (await resets.use(hash, reset, await passwords.hash(newPassword))) ? reset.accountKey : null;
};
