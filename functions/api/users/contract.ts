import * as z from 'zod';
import { paged, pageQuery, searchParameter, sortBy } from '#shared/api/http/paging.ts';
import { group } from '#shared/api/operation.ts';
import {
  INVITATION_DAYS,
  INVITATIONS_PER_DAY,
  NewUser,
  PasswordChange,
  User,
  UserAccess,
  UserUpdate,
} from '#shared/domain/identity/user.ts';
import { idText, Status, userIdText } from '#shared/domain/values.ts';

const ByUser = z.object({ userId: userIdText() });

/** Callers who may change a user's login. */
const selfOrPeers = "Only for the user, and for callers with `manage_users` who hold all of the user's permissions.";

export const users = group({
  name: 'users',
  about: 'People who log in, and what they may do',
  operations: {
    listUsers: {
      method: 'GET',
      path: '/users',
      summary: 'List users',
      description: "Returns a customer's users. System admins who do not name a customer get all users.",
      auth: 'user',
      may: 'manage_users',
      query: z.object({
        ...pageQuery,
        searchText: searchParameter,
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
      description:
        'Creates a user with a `password`; or, with `invite`, emails the user a link to set one, valid for ' +
        `${INVITATION_DAYS} days. A customer can invite ${INVITATIONS_PER_DAY} users a day. Access tokens cannot ` +
        'create users.',
      auth: 'session',
      may: 'manage_users',
      body: NewUser,
      success: 201,
      response: User,
      errors: ['erasure_requester', 'username_taken', 'customer_not_found', 'limit_reached'],
      uses: [
        'dataJobs.list',
        'customers.get',
        'limits.nextNumber',
        'limits.countWithin',
        'users.create',
        'resets.create',
        'hash:passwords',
        'keep:quotas',
        'send:mail',
        'service:about',
      ],
    },
    getUser: {
      method: 'GET',
      path: '/users/{userId}',
      summary: 'Get a user',
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
      summary: "Update a user's profile",
      description:
        "Replaces the profile. Only the user, and callers with `manage_users` who hold all of the user's " +
        'permissions, can change `email`, and only in a session, at most five times an hour. Users who change their ' +
        'own address must send `currentPassword`, and reset codes go to the previous address for another 24 hours; ' +
        'users who log in through an identity provider cannot change theirs. The previous address gets an email.',
      auth: 'user',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: UserUpdate,
      success: 200,
      response: User,
      errors: ['erasure_requester', 'user_not_found'],
      uses: [
        'dataJobs.list',
        'users.get',
        'users.setProfile',
        'limits.secondsToWait',
        'limits.countFailure',
        'sessions.passwordHash',
        'hash:passwords',
        'send:mail',
      ],
    },
    deleteUser: {
      method: 'DELETE',
      path: '/users/{userId}',
      summary: 'Delete a user',
      description: `Ends all of the user's sessions and revokes all tokens. The username can be used again. ${selfOrPeers}`,
      auth: 'user',
      may: 'manage_users',
      within: 'user',
      params: ByUser,
      success: 200,
      response: Status,
      errors: ['erasure_requester', 'user_not_found'],
      uses: ['dataJobs.list', 'users.get', 'users.remove', 'accessTokens.removeAll'],
    },
    setUserAccess: {
      method: 'PUT',
      path: '/users/{userId}/access',
      summary: "Update a user's permissions",
      description:
        "Replaces the permissions, starting with the user's next request. Callers can only grant permissions they " +
        `hold; only system admins can change \`isAdmin\`. ${selfOrPeers} Access tokens cannot change permissions.`,
      auth: 'session',
      may: 'manage_users',
      within: 'user',
      params: ByUser,
      body: UserAccess,
      success: 200,
      response: User,
      errors: ['erasure_requester', 'user_not_found'],
      uses: ['dataJobs.list', 'users.get', 'users.setAccess'],
    },
    setUserPassword: {
      method: 'PUT',
      path: '/users/{userId}/password',
      summary: "Set a user's password",
      description:
        "Ends all of the user's sessions. Users who set their own password must send the current one; after 10 wrong " +
        `passwords within 15 minutes, the operation returns 429. ${selfOrPeers} Access tokens cannot set passwords. ` +
        'Users who log in through an identity provider have none.',
      auth: 'session',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: PasswordChange,
      success: 200,
      response: Status,
      errors: ['erasure_requester', 'user_not_found', 'user_external'],
      uses: [
        'dataJobs.list',
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
