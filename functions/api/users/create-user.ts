import { customerFor } from '#shared/api/customer.ts';
import { refuseRequester } from '#shared/api/erasure-requester.ts';
import { mailInvitation } from '#shared/api/invitations.ts';
import type { Call } from '#shared/api/operation.ts';
import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { newAccountKey } from '#shared/auth/tokens.ts';
import { hasPermission } from '#shared/domain/identity/permission.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { INVITATIONS_PER_DAY, type User } from '#shared/domain/identity/user.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { users } from './contract.ts';

type Operation = (typeof users)['operations']['createUser'];
type CreateCall = Call<Operation>;
type CreateDeps = Deps<Operation['uses'][number]>;

const DAY_SECONDS = 86_400;

/**
 * Returns the password for a new user. An invited user gets a random password that no one knows. It lasts until the
 * user sets another one through the link.
 */
const passwordOf = ({ body, refuse }: CreateCall, { random, settings }: CreateDeps): string => {
  const { invite, password, email } = body;
  if (invite && password !== undefined) return refuse('password', 'invalid');
  if (invite && email === '') return refuse('email', 'required');
  if (invite && settings.MAIL_SENDER === '') return refuse('invite', 'needs_mail');
  if (invite) return Buffer.from(random(32)).toString('base64url');
  if (password === undefined) return refuse('password', 'required');
  return isCommonPassword(password) ? refuse('password', 'password_common') : password;
};

/** Counts an invitation for a customer. Fails the request if the customer has sent too many invitations in a day. */
const countInvitation = async (
  { fail }: Pick<CreateCall, 'fail'>,
  customerId: number | null,
  { store, now }: CreateDeps,
): Promise<void> => {
  const subject = `invitations:${customerId ?? UNASSIGNED}`;
  if ((await store.limits.countWithin(subject, INVITATIONS_PER_DAY, DAY_SECONDS, now())) === null)
    return fail('limit_reached', { limit: { of: 'invitations', most: INVITATIONS_PER_DAY } });
};

/** Creates a user with a password, or invites the user to set one. */
export const createUser = async (call: CreateCall, deps: CreateDeps): Promise<User> => {
  const { caller, body, fail, refuse } = call;
  const { store, quotas, now, random, passwords } = deps;
  await refuseRequester(call, deps);
  const given = passwordOf(call, deps);
  const { password: _, invite, customerId: requested, ...rest } = body;
  // System admins can create users without a customer.
  const customerId =
    requested === null && caller.isAdmin
      ? null
      : await customerFor({ caller, fail, refuse }, requested ?? undefined, store);
  if (rest.permissions.some((permission) => !hasPermission(caller, permission))) return fail('forbidden');
  if (invite) await countInvitation(call, customerId, deps);
  const time = now();
  const user = {
    ...rest,
    permissions: [...new Set(rest.permissions)],
    id: await store.limits.nextNumber('accounts'),
    createDate: time,
    updateDate: time,
    customerId,
    profileImageId: randomUuid(random),
    isAdmin: false,
  };
  const hash = await passwords.hash(given);
  const accountKey = newAccountKey(random);
  const problem = await store.users.create(user, accountKey, hash, quotas.users);
  if (problem === 'username_taken') return fail('username_taken');
  if (problem === 'limit_reached') return fail('limit_reached', limitOf(quotas, 'users'));
  if (problem === 'customer_unknown') return refuse('customerId', 'unknown_reference');
  if (invite) await mailInvitation({ ...user, accountKey }, deps);
  return user;
};
