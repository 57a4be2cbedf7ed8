import { checkPassword } from '#shared/api/check-password.ts';
import { refuseRequester } from '#shared/api/erasure-requester.ts';
import { addressMail } from '#shared/api/messages/texts.ts';
import type { Call } from '#shared/api/operation.ts';
import { asText } from '#shared/domain/formats/plain-text.ts';
import { mayChangeCredentials, mayChangeProfile } from '#shared/domain/identity/permission.ts';
import { MAILBOX_DELAY, mailboxOf, type UserUpdate } from '#shared/domain/identity/user.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import type { users } from './contract.ts';

type Operation = (typeof users)['operations']['updateUser'];
type UpdateCall = Call<Operation>;
type UpdateDeps = Deps<Operation['uses'][number]>;

const HOUR_SECONDS = 3_600;
/** How many times a user's email address can change in an hour. Each change emails up to two addresses. */
const MAX_MOVES = 5;

/** Whether the caller may replace a user's profile. */
const mayReplace = ({ caller, body }: UpdateCall, user: UserItem): boolean => {
  if (body.email === user.email) return mayChangeProfile(caller, user);
  if (caller.accountId === user.id && user.subject !== undefined) return false;
  return caller.kind === 'session' && mayChangeCredentials(caller, user);
};

/** Fails the request unless it contains the current password, because someone else could be using an open session. */
const requirePassword = async ({ body, fail, refuse }: UpdateCall, user: UserItem, deps: UpdateDeps): Promise<void> => {
  const { currentPassword } = body;
  if (currentPassword === undefined) return refuse('currentPassword', 'required');
  const { isRight, waitSeconds } = await checkPassword(user.accountKey, currentPassword, deps);
  if (waitSeconds > 0) return fail('rate_limited', { waitSeconds });
  if (!isRight) refuse('currentPassword', 'wrong_password');
};

/** Reports the change to every address that could receive reset codes. */
const informPrevious = async (user: UserItem, email: string, { mail, now, settings }: UpdateDeps): Promise<void> => {
  if (settings.MAIL_SENDER === '') return;
  const { subject, text } = await addressMail(user.locale, asText(user.username));
  const addresses = new Set([user.email, mailboxOf(user, now())]);
  for (const address of addresses) if (address !== '' && address !== email) await mail(address, subject, text);
};

/** Replaces a user's profile. */
export const changeProfile = async (call: UpdateCall, deps: UpdateDeps) => {
  const { caller, customerId, params, body, fail } = call;
  const { store, now } = deps;
  const find = async (): Promise<UserItem> => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    return mayReplace(call, user) ? user : fail('forbidden');
  };
  const before = await find();
  const isOwn = before.id === caller.accountId;
  const isMoved = before.email !== body.email;
  if (isMoved && !isOwn) await refuseRequester(call, deps);
  if (isMoved && isOwn) await requirePassword(call, before, deps);
  if (isMoved) {
    const { count, seconds } = await store.limits.countFailure(`move:${before.accountKey}`, HOUR_SECONDS, now());
    if (count > MAX_MOVES) return fail('rate_limited', { waitSeconds: seconds });
  }
  const { currentPassword: _, ...profile } = body satisfies UserUpdate;
  const set = async () => {
    const user = await find();
    // Another request has changed the address, and this request was not checked for permission to change the new
    // address.
    if (user.email !== before.email) return fail('unavailable', { waitSeconds: 1 });
    const updateDate = now();
    const previous = { email: mailboxOf(user, updateDate), until: updateDate + MAILBOX_DELAY };
    const mailbox = isOwn ? previous : null;
    return (await store.users.setProfile(user, profile, mailbox, updateDate))
      ? { ...user, ...profile, updateDate }
      : null;
  };
  const changed = await retryOnConflict(set);
  if (isMoved) await informPrevious(before, body.email, deps);
  return changed;
};
