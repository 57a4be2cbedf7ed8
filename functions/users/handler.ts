import { customerFor, customerOfList } from '../../shared/api/customer.ts';
import { serve } from '../../shared/api/serve.ts';
import { hashPassword, isCommonPassword } from '../../shared/auth/password.ts';
import { drawAccountKey } from '../../shared/auth/tokens.ts';
import { randomUuid } from '../../shared/domain/ids.ts';
import { matches, pageOf, sorted } from '../../shared/domain/page.ts';
import { holds } from '../../shared/domain/permission.ts';
import { users } from './contract.ts';

export const handler = serve(users, {
  listUsers: async ({ caller, query, fail }, { store }) => {
    const customerId = customerOfList(caller, query.customerId, fail);
    const all = customerId === null ? [] : await store.users.list(customerId);
    const found = all.filter((user) =>
      matches(query.searchText, user.username, user.firstName, user.lastName, user.email, String(user.id)),
    );
    return pageOf(sorted(found, query.sortBy), query);
  },

  createUser: async ({ caller, body, fail, refuse }, { store, now, random }) => {
    if (isCommonPassword(body.password)) refuse('password', 'password_common');
    const { password, customerId: given, ...rest } = body;
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
    const problem = await store.users.create(user, drawAccountKey(random), await hashPassword(password, random));
    if (problem === 'username_taken') return fail('username_taken');
    if (problem === 'customer_unknown') return refuse('customerId', 'unknown_reference');
    return user;
  },

  getUser: async ({ customerId, params, fail }, { store }) =>
    (await store.users.get(customerId, params.userId)) ?? fail('user_not_found'),
});
