import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { AccessToken, NewAccessToken } from '#shared/domain/identity/access-token.ts';
import { idText, Status, uuid } from '#shared/domain/values.ts';

const ByUser = z.object({ userId: idText });

const ofEquals = 'For the tokens of another user the caller must hold every permission that the user holds.';

export const accessTokens = group({
  name: 'access-tokens',
  about: 'Tokens by which programs act for a user',
  operations: {
    listAccessTokens: {
      method: 'GET',
      path: '/users/{userId}/access-tokens',
      summary: 'List the access tokens of a user',
      description: ofEquals,
      auth: 'user',
      may: 'manage_users',
      orSelf: 'by_session',
      within: 'user',
      params: ByUser,
      success: 200,
      response: z.array(AccessToken),
      errors: ['user_not_found'],
      uses: ['users.get', 'accessTokens.list'],
    },
    createAccessToken: {
      method: 'POST',
      path: '/users/{userId}/access-tokens',
      summary: 'Create an access token; it is shown only in this answer',
      description:
        `${ofEquals} ` +
        'It has the current rights of its user, limited to `permissions` if they are given, and to GET if it is ' +
        '`readOnly`. A new password does not end it.',
      auth: 'session',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: NewAccessToken,
      success: 201,
      response: AccessToken.extend({ token: z.string() }).meta({ id: 'CreatedAccessToken' }),
      errors: ['user_not_found', 'access_tokens_too_many'],
      uses: ['users.get', 'accessTokens.create'],
    },
    deleteAccessToken: {
      method: 'DELETE',
      path: '/users/{userId}/access-tokens/{tokenId}',
      summary: 'Delete an access token; it is invalid from the next request on',
      description: ofEquals,
      auth: 'user',
      may: 'manage_users',
      orSelf: 'by_session',
      within: 'user',
      params: ByUser.extend({ tokenId: uuid }),
      success: 200,
      response: Status,
      errors: ['user_not_found', 'access_token_not_found'],
      uses: ['users.get', 'accessTokens.remove'],
    },
  },
});
