import { judgedAnew } from '../../shared/api/changing.ts';
import { customerFor, customerOfList } from '../../shared/api/customer.ts';
import { serve } from '../../shared/api/serve.ts';
import { isCommonPassword } from '../../shared/auth/common-passwords.ts';
import { drawAccountKey } from '../../shared/auth/tokens.ts';
import { randomUuid } from '../../shared/domain/ids.ts';
import { matches, pageOf, sorted } from '../../shared/domain/page.ts';
import { holds, mayChange } from '../../shared/domain/permission.ts';
import type { User } from '../../shared/domain/user.ts';
import type { StoreOf } from '../../shared/store/store.ts';
import { users } from './contract.ts';
import { checkPassword } from './password.ts';

/** Those without a customer too: only so are they found again. */
const everybody = async (store: StoreOf<'customers.list' | 'users.list'>): Promise<User[]> => {
  const customers = [{ id: 0 }, ...(await store.customers.list())];
  return (await Promise.all(customers.map(({ id }) => store.users.list(id)))).flat();
};

export const handler = serve(users, {
  listUsers: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const isAll = caller.isAdmin && query.customerId === undefined;
    const all = isAll ? await everybody(store) : customerId === null ? [] : await store.users.list(customerId);
    const found = all.filter((user) =>
      matches(query.searchText, user.username, user.firstName, user.lastName, user.email, String(user.id)),
    );
    return pageOf(sorted(found, query.sortBy), query);
  },

  createUser: async ({ caller, body, fail, refuse }, { store, now, random, passwords }) => {
    if (isCommonPassword(body.password)) refuse('password', 'password_common');
    const { password, customerId: given, ...rest } = { ...body, permissions: [...new Set(body.permissions)] };
    // A user alone may be made without a customer, and only by a system admin who says so.
    const customerId =
      given === null && caller.isAdmin ? null : await customerFor(caller, given ?? undefined, store, fail, refuse);
    if (rest.permissions.some((permission) => !holds(caller, permission))) return fail('forbidden');
    const time = now();
    const user = {
      ...rest,
      id: await store.limits.nextNumber('accounts'),
      createDate: time,
      updateDate: time,
      customerId,
      profileImageId: randomUuid(random),
      isAdmin: false,
    };
    const problem = await store.users.create(user, drawAccountKey(random), await passwords.hash(password));
    if (problem === 'username_taken') return fail('username_taken');
    if (problem === 'customer_unknown') return refuse('customerId', 'unknown_reference');
    return user;
  },

  getUser: async ({ customerId, params, fail }, { store }) =>
    (await store.users.get(customerId, params.userId)) ?? fail('user_not_found'),

  updateUser: async ({ caller, customerId, params, body, fail }, { store, now }) => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    // Where the mail goes, the reset code goes: a token, which may set no password, may not move it either.
    const isMove = caller.kind === 'token' && body.email !== user.email;
    if (!mayChange(caller, user) || isMove) return fail('forbidden');
    const updateDate = now();
    const isThere = await store.users.setProfile(user, body, updateDate);
    return isThere ? { ...user, ...body, updateDate } : fail('user_not_found');
  },

  deleteUser: async ({ caller, customerId, params, fail }, { store }) => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    if (!mayChange(caller, user)) return fail('forbidden');
    if (!(await store.users.remove(user))) return fail('user_not_found');
    await store.accessTokens.removeAll(user.accountKey);
    return { status: 'OK' };
  },

  setUserAccess: async ({ caller, customerId, params, body, fail }, { store, now, pause, random }) => {
    const set = async () => {
      const user = (await store.users.get(customerId, params.userId, true)) ?? fail('user_not_found');
      const { isAdmin = user.isAdmin } = body;
      const granted = body.permissions.filter((permission) => !user.permissions.includes(permission));
      const isTooMuch = granted.some((permission) => !holds(caller, permission));
      if (!mayChange(caller, user) || isTooMuch || (isAdmin !== user.isAdmin && !caller.isAdmin))
        return fail('forbidden');
      const access = { canLogin: body.canLogin, permissions: [...new Set(body.permissions)], isAdmin };
      const updateDate = now();
      return (await store.users.setAccess(user, access, updateDate)) ? { ...user, ...access, updateDate } : null;
    };
    return judgedAnew(set, { pause, random }, fail);
  },

  setUserPassword: async ({ caller, customerId, params, body, fail, refuse }, deps) => {
    const { store, passwords } = deps;
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    if (!mayChange(caller, user)) return fail('forbidden');
    const { currentPassword, newPassword } = body;
    if (isCommonPassword(newPassword)) refuse('newPassword', 'password_common');
    const isOwn = user.id === caller.accountId;
    if (isOwn && currentPassword === undefined) refuse('currentPassword', 'required');
    const was = isOwn ? await checkPassword(user.accountKey, currentPassword ?? '', deps) : null;
    if (was && was.waitSeconds > 0) return fail('rate_limited', { waitSeconds: was.waitSeconds });
    if (was && !was.isRight) refuse('currentPassword', 'wrong_password');
    const hash = await passwords.hash(newPassword);
    const isSet = await store.sessions.setPassword(user.accountKey, was?.hash ?? null, hash);
    if (isSet) return { status: 'OK' };
    // Somebody was faster: the user is gone, or has another password by now.
    return isOwn ? refuse('currentPassword', 'wrong_password') : fail('user_not_found');
  },
});
