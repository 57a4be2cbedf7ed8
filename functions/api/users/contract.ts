import * as z from 'zod';
import { paged, pageQuery, search, sortBy } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import { NewUser, PasswordChange, User, UserAccess, UserUpdate } from '#shared/domain/identity/user.ts';
import { idText, Status } from '#shared/domain/values.ts';

const me = { type: ['integer', 'string'], pattern: '^(me|[1-9][0-9]*)$' } as const;
const ByUser = z.object({ userId: idText.meta({ ...me, description: 'Id of the user, or `me`' }) });

/** The callers who may change the login of another user. */
const equals = 'for callers with `manage_users` who hold every permission that the user holds';

export const users = group({
  name: 'users',
  about: 'People who log in, and their rights',
  operations: {
    listUsers: {
      method: 'GET',
      path: '/users',
      summary: 'List the users of a customer',
      auth: 'user',
      may: 'manage_users',
      query: z.object({
        ...pageQuery,
        searchText: search,
        sortBy: sortBy(['id', 'username', 'createDate', 'updateDate'], 'asc(username)'),
        customerId: idText.optional(),
      }),
      success: 200,
      response: paged(User),
      uses: ['customers.list', 'users.list'],
    },
    createUser: {
      method: 'POST',
      path: '/users',
      summary: 'Create a user',
      auth: 'user',
      may: 'manage_users',
      body: NewUser,
      success: 201,
      response: User,
      errors: ['username_taken', 'customer_not_found', 'limit_reached'],
      uses: ['customers.get', 'limits.nextNumber', 'users.create', 'hash:passwords', 'keep:quotas'],
    },
    getUser: {
      method: 'GET',
      path: '/users/{userId}',
      summary: 'Get a user; `me` is the caller',
      beforeOtp: true,
      auth: 'user',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      success: 200,
      response: User,
      errors: ['user_not_found'],
      uses: ['users.get'],
    },
    updateUser: {
      method: 'PUT',
      path: '/users/{userId}',
      summary: 'Replace the profile of a user',
      description: `A change of \`email\` needs a session, and is for the user itself, and ${equals}.`,
      auth: 'user',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: UserUpdate,
      success: 200,
      response: User,
      errors: ['user_not_found'],
      uses: ['users.get', 'users.setProfile'],
    },
    deleteUser: {
      method: 'DELETE',
      path: '/users/{userId}',
      summary: 'Delete a user; the sessions and tokens end, and the username is free again',
      description: `For the user itself, and ${equals}.`,
      auth: 'user',
      may: 'manage_users',
      within: 'user',
      params: ByUser,
      success: 200,
      response: Status,
      errors: ['user_not_found'],
      uses: ['users.get', 'users.remove', 'accessTokens.removeAll'],
    },
    setUserAccess: {
      method: 'PUT',
      path: '/users/{userId}/access',
      summary: 'Replace the rights of a user, from the next request on',
      description:
        `For the user itself, and ${equals}. ` +
        'Callers can only grant permissions that they hold; only system admins may change `isAdmin`.',
      auth: 'user',
      may: 'manage_users',
      within: 'user',
      params: ByUser,
      body: UserAccess,
      success: 200,
      response: User,
      errors: ['user_not_found'],
      uses: ['users.get', 'users.setAccess'],
    },
    setUserPassword: {
      method: 'PUT',
      path: '/users/{userId}/password',
      summary: 'Set the password of a user; all sessions of the user end',
      description:
        `For the user itself, and ${equals}. ` +
        'Users who set their own password must send the current one; after 10 wrong ones in 15 minutes the answer is 429. ' +
        'Access tokens cannot do it. Users who log in at an issuer have no password.',
      auth: 'session',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: PasswordChange,
      success: 200,
      response: Status,
      errors: ['user_not_found', 'user_external'],
      uses: [
        'users.get',
        'limits.secondsToWait',
        'limits.countFailure',
        'sessions.passwordHash',
        'sessions.setPassword',
        'hash:passwords',
      ],
    },
  },
});
