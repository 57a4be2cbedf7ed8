import { resetMail } from '#shared/api/messages/texts.ts';
import type { Call } from '#shared/api/operation.ts';
import { hashOf } from '#shared/auth/tokens.ts';
import { settledWithin } from '#shared/concurrency/settled-within.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import { isOutdated } from '#shared/domain/identity/credential.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Resetting } from '#shared/store/identity/resets.ts';
import type { auth } from './contract.ts';
import { countFailure } from './throttle.ts';

type Operations = (typeof auth)['operations'];
type Acting = Pick<Call<Operations['login']>, 'actAs'>;
type Mailing = Acting & Deps<Operations['requestPasswordReset']['uses'][number]>;
type Confirming = Acting & Deps<Operations['confirmPasswordReset']['uses'][number]>;

const MINUTES = 30;
/** The most mails to an account in one hour. Further ones are not sent, and the caller gets the same answer. */
const MOST_MAILS = 3;
/**
 * How long (ms) an answer takes in any case. It is longer than sending a mail, even if the mail is retried
 * (shared/aws/mail.ts). What is not done then is given up, because a Lambda is frozen after its answer.
 */
const ANSWER_AFTER = 3_000;

/** Whom a call is noted as: anybody may ask for a code, and who has it got the mail of that user. */
const actingAs = (kind: Actor['kind'], { accountId, customerId, username }: Resetting): [Actor, number] => [
  { kind, id: String(accountId), name: username },
  customerId ?? UNASSIGNED,
];

/** Mails a code to the user with this username, if the user may log in and has an e-mail address. */
const mailCode = async (username: string, { store, now, random, mail, actAs }: Mailing): Promise<void> => {
  const accountKey = await store.sessions.accountKeyOf(username);
  const account = accountKey === null ? null : await store.sessions.account(accountKey);
  if (accountKey === null || !account?.canLogin || account.isExternal) return;
  const user = await store.users.get(account.customerId, account.accountId);
  if (!user || user.email === '') return;
  if (!(await store.limits.take(`mail:${accountKey}`, MOST_MAILS, 3_600, now()))) return;
  const who = { accountId: account.accountId, customerId: account.customerId, username: user.username };
  actAs(...actingAs('anonymous', who));
  const code = Buffer.from(random(24)).toString('base64url');
  const createDate = now();
  const expires = createDate + MINUTES * 60_000;
  // Both are of the account as it was read before the e-mail address, so a change in between makes the code invalid.
  const { epoch, mailbox } = account;
  await store.resets.create(hashOf(code), { ...who, accountKey, epoch, mailbox, createDate, expires });
  const { subject, text } = await resetMail(user.locale, code, MINUTES);
  await mail(user.email, subject, text);
};

/**
 * Handles a request for a reset code. The answer and its time do not tell whether the username exists, not even if the
 * mail or the table hangs or fails. It gives the seconds to wait if there were too many requests, otherwise 0.
 */
export const requestReset = async (
  username: string,
  address: string,
  deps: Mailing,
  answerAfter = ANSWER_AFTER,
): Promise<number> => {
  const seconds = await countFailure(deps.store, 'reset', { username, address }, deps.now());
  if (seconds > 0) return seconds;
  const mailing = mailCode(username, deps).catch((error: unknown) =>
    deps.log('error', 'no code was mailed', {}, error),
  );
  await Promise.all([settledWithin(mailing, answerAfter), deps.pause(answerAfter)]);
  return 0;
};

type Confirmation = { code: string; newPassword: string };

/**
 * Sets a new password by a code, which is valid once. It gives the key of the account, or null if the code is invalid.
 */
export const confirmReset = async (
  { code, newPassword }: Confirmation,
  { store: { resets }, now, passwords, settings, actAs }: Confirming,
): Promise<string | null> => {
  const hash = hashOf(code);
  const reset = await resets.byHash(hash);
  if (!reset || reset.expires <= now() || isOutdated(reset, settings.CREDENTIALS_SINCE)) return null;
  actAs(...actingAs('link', reset));
  return (await resets.use(hash, reset, await passwords.hash(newPassword))) ? reset.accountKey : null;
};
