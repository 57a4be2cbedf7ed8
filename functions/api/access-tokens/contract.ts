import * as z from 'zod';
import { group } from '#shared/api/operation.ts';
import { AccessToken, NewAccessToken } from '#shared/domain/identity/access-token.ts';
import { Status, userIdText, uuid } from '#shared/domain/values.ts';

const ByUser = z.object({ userId: userIdText() });

const otherUsers = "To manage another user's tokens, the caller must hold all of that user's permissions.";

export const accessTokens = group({
  name: 'access-tokens',
  about: 'Tokens that let programs act for a user',
  operations: {
    listAccessTokens: {
      method: 'GET',
      path: '/users/{userId}/access-tokens',
      summary: "List a user's access tokens",
      description: `Returns the unexpired tokens, oldest first, without the secret values. ${otherUsers}`,
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
      summary: 'Create an access token',
      description:
        'Creates a token that lets a program act for the user. The token itself is returned only in this response. ' +
        "It always has the user's current permissions, limited to `permissions` if given, and to GET requests if " +
        `\`readOnly\` is set. Changing the password does not revoke it. ${otherUsers}`,
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
      summary: 'Delete an access token',
      description: `Revokes the token, starting with the next request. ${otherUsers}`,
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
