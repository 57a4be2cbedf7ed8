import { resetMail } from '#shared/api/messages/texts.ts';
import type { Call } from '#shared/api/operation.ts';
import { hashSecret } from '#shared/auth/tokens.ts';
import { settledWithin } from '#shared/concurrency/settled-within.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import { isOutdated } from '#shared/domain/identity/credential.ts';
import { mailboxOf } from '#shared/domain/identity/user.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { ResetUser } from '#shared/store/identity/resets.ts';
import type { auth } from './contract.ts';
import { countFailure } from './throttle.ts';

type Operations = (typeof auth)['operations'];
type AuditedCall = Pick<Call<Operations['login']>, 'actAs'>;
type RequestDeps = AuditedCall & Deps<Operations['requestPasswordReset']['uses'][number]>;
type ConfirmDeps = AuditedCall & Deps<Operations['confirmPasswordReset']['uses'][number]>;

const CODE_MINUTES = 30;
/**
 * The maximum number of emails to an account per hour. Further emails are not sent, but the response stays the same.
 */
const MAX_MAILS = 3;
/**
 * How long (ms) every response takes. That is longer than sending an email with retries (shared/aws/mail.ts). Work not
 * finished by then is abandoned, because Lambda freezes a function after its response.
 */
const RESPONSE_MS = 3_000;

/** The actor recorded in the audit log. Anyone may request a code, but only the user receives it. */
const actorOf = (kind: Actor['kind'], { accountId, customerId, username }: ResetUser): [Actor, number] => [
  { kind, id: String(accountId), name: username },
  customerId ?? UNASSIGNED,
];

/** Emails a code to the user with this username if the user may log in and has an email address. */
const mailCode = async (username: string, { store, now, random, mail, actAs }: RequestDeps): Promise<void> => {
  const accountKey = await store.sessions.accountKeyOf(username);
  const account = accountKey === null ? null : await store.sessions.account(accountKey);
  if (accountKey === null || !account?.canLogin || account.isExternal) return;
  const user = await store.users.get(account.customerId, account.accountId);
  const address = user ? mailboxOf(user, now()) : '';
  if (!user || address === '') return;
  if (!(await store.limits.take(`mail:${accountKey}`, MAX_MAILS, 3_600, now()))) return;
  const owner = { accountId: account.accountId, customerId: account.customerId, username: user.username };
  actAs(...actorOf('anonymous', owner));
  const code = Buffer.from(random(24)).toString('base64url');
  const createDate = now();
  const expires = createDate + CODE_MINUTES * 60_000;
  // Both were read before the email address, so a change in between invalidates the code.
  const { epoch, mailbox } = account;
  await store.resets.create(hashSecret(code), { ...owner, accountKey, epoch, mailbox, createDate, expires });
  const { subject, text } = await resetMail(user.locale, code, CODE_MINUTES);
  await mail(address, subject, text);
};

/**
 * Handles a reset code request. Neither the response nor its timing reveals whether the username exists, even if email
 * or the table hangs or fails. Returns the number of seconds to wait after too many requests, or 0.
 */
export const requestReset = async (
  username: string,
  address: string,
  deps: RequestDeps,
  responseMs = RESPONSE_MS,
): Promise<number> => {
  const seconds = await countFailure(deps.store, 'reset', { username, address }, deps.now());
  if (seconds > 0) return seconds;
  const mailing = mailCode(username, deps).catch((error: unknown) =>
    deps.log('error', 'failed to email a reset code', {}, error),
  );
  await Promise.all([settledWithin(mailing, responseMs), deps.pause(responseMs)]);
  return 0;
};

type Confirmation = { code: string; newPassword: string };

/**
 * Sets a new password with a code. Each code works only once. Returns the account key, or null if the code is invalid.
 */
export const confirmReset = async (
  { code, newPassword }: Confirmation,
  { store: { resets }, now, passwords, settings, actAs }: ConfirmDeps,
): Promise<string | null> => {
  const hash = hashSecret(code);
  const reset = await resets.byHash(hash);
  if (!reset || reset.expires <= now() || isOutdated(reset, settings.CREDENTIALS_SINCE)) return null;
  actAs(...actorOf('link', reset));
  return (await resets.use(hash, reset, await passwords.hash(newPassword))) ? reset.accountKey : null;
};
