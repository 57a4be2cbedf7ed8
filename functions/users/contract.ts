import * as z from 'zod';
import { group } from '../../shared/api/operation.ts';
import { paged, pageQuery, search, sortBy } from '../../shared/domain/page.ts';
import { NewUser, User } from '../../shared/domain/user.ts';
import { idText } from '../../shared/domain/values.ts';

export const users = group({
  name: 'users',
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
      uses: ['table:read'],
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
      errors: ['username_taken', 'customer_not_found'],
      uses: ['table:write'],
    },
    getUser: {
      method: 'GET',
      path: '/users/{userId}',
      summary: 'Get a user; `me` is the caller',
      auth: 'user',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: z.object({ userId: idText }),
      success: 200,
      response: User,
      errors: ['user_not_found'],
      uses: ['table:read'],
    },
  },
});
