import { checkPassword } from '#shared/api/check-password.ts';
import { customerOfList } from '#shared/api/customer.ts';
import { refuseRequester } from '#shared/api/erasure-requester.ts';
import { serve } from '#shared/api/serve.ts';
import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { hasPermission, mayChangeCredentials, mayChangeRights } from '#shared/domain/identity/permission.ts';
import type { User } from '#shared/domain/identity/user.ts';
import { matchesSearch, pageOf, sortedBy } from '#shared/domain/page.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { changeProfile } from './change-profile.ts';
import { users } from './contract.ts';
import { createUser } from './create-user.ts';

/** Returns a customer's users or, for `everybody`, all users, including those without a customer. */
const usersOf = async (
  store: StoreOf<'customers.list' | 'users.list'>,
  customerId: number | null | 'everybody',
): Promise<User[]> => {
  if (customerId === null) return [];
  if (customerId !== 'everybody') return store.users.list(customerId);
  const customers = [{ id: 0 }, ...(await store.customers.list())];
  return (await Promise.all(customers.map(({ id }) => store.users.list(id)))).flat();
};

export const handler = serve(users, {
  listUsers: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const wantsAll = caller.isAdmin && query.customerId === undefined;
    const all = await usersOf(store, wantsAll ? 'everybody' : customerId);
    const found = all.filter((user) =>
      matchesSearch(query.searchText, user.username, user.firstName, user.lastName, user.email, String(user.id)),
    );
    return pageOf(sortedBy(found, query.sortBy), query);
  },

  createUser,

  getUser: async ({ caller, customerId, params, fail }, { store }) => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    return { ...user, ...(caller.mustSetOtp && { mustSetOtp: true as const }) };
  },

  updateUser: changeProfile,

  deleteUser: async (call, deps) => {
    const { caller, customerId, params, fail } = call;
    const { store, now } = deps;
    await refuseRequester(call, deps);
    const remove = async () => {
      const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
      if (!mayChangeRights(caller, user)) return fail('forbidden');
      return (await store.users.remove(user, now())) ? user : null;
    };
    const { accountKey } = await retryOnConflict(remove);
    await store.accessTokens.removeAll(accountKey);
    return { status: 'OK' };
  },

  setUserAccess: async (call, deps) => {
    const { caller, customerId, params, body, fail } = call;
    const { store, now } = deps;
    await refuseRequester(call, deps);
    const set = async () => {
      const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
      const { isAdmin = user.isAdmin } = body;
      const granted = body.permissions.filter((permission) => !user.permissions.includes(permission));
      const isExcessive = granted.some((permission) => !hasPermission(caller, permission));
      if (!mayChangeRights(caller, user) || isExcessive || (isAdmin !== user.isAdmin && !caller.isAdmin))
        return fail('forbidden');
      const access = { canLogin: body.canLogin, permissions: [...new Set(body.permissions)], isAdmin };
      const updateDate = now();
      return (await store.users.setAccess(user, access, updateDate)) ? { ...user, ...access, updateDate } : null;
    };
    return retryOnConflict(set);
  },

  setUserPassword: async (call, deps) => {
    const { caller, customerId, params, body, fail, refuse } = call;
    const { store, passwords } = deps;
    const find = async () => {
      const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
      return mayChangeCredentials(caller, user) ? user : fail('forbidden');
    };
    const user = await find();
    if (user.subject) return fail('user_external');
    const { currentPassword, newPassword } = body;
    if (isCommonPassword(newPassword)) refuse('newPassword', 'password_common');
    const isOwn = user.id === caller.accountId;
    if (isOwn && currentPassword === undefined) refuse('currentPassword', 'required');
    if (!isOwn) await refuseRequester(call, deps);
    const check = isOwn ? await checkPassword(user.accountKey, currentPassword ?? '', deps) : null;
    if (check && check.waitSeconds > 0) return fail('rate_limited', { waitSeconds: check.waitSeconds });
    if (check && !check.isRight) refuse('currentPassword', 'wrong_password');
    const hash = await passwords.hash(newPassword);
    const set = async (): Promise<{ status: 'OK' } | null> => {
      if (await store.sessions.setPassword(await find(), check?.hash ?? null, hash)) return { status: 'OK' };
      if (!check) return null;
      // If another request got there first, the user now has a different password.
      return (await store.sessions.passwordHash(user.accountKey)) === check.hash
        ? null
        : refuse('currentPassword', 'wrong_password');
    };
    return retryOnConflict(set);
  },
});
