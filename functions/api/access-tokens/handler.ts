import { serve } from '#shared/api/serve.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { PREFIX_LENGTH } from '#shared/domain/identity/access-token.ts';
import { hasPermission, mayChangeCredentials } from '#shared/domain/identity/permission.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import { accessTokens } from './contract.ts';

export const handler = serve(accessTokens, {
  listAccessTokens: async ({ caller, customerId, params, fail }, { store, now }) => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    if (!mayChangeCredentials(caller, user)) return fail('forbidden');
    return store.accessTokens.list(user.accountKey, now());
  },

  createAccessToken: async ({ caller, customerId, params, body, fail, refuse }, { store, now, random }) => {
    const { name, readOnly, expiresAt } = body;
    const create = async () => {
      const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
      // A token for another user lets the caller act as that user, so it must be limited to permissions that both of
      // them hold.
      const isOwn = user.id === caller.accountId;
      const requested = body.permissions ?? (isOwn || caller.isAdmin ? null : user.permissions);
      const isExcessive =
        requested?.some((permission) => !hasPermission(caller, permission) || !hasPermission(user, permission)) ??
        false;
      if (isExcessive || !mayChangeCredentials(caller, user)) return fail('forbidden');
      if (expiresAt !== null && expiresAt <= now()) refuse('expiresAt', 'invalid');

      const token = drawToken('access', random, user.accountKey);
      const prefix = token.slice(0, PREFIX_LENGTH);
      const permissions = requested && [...new Set(requested)];
      const record = { id: randomUuid(random), name, prefix, createDate: now(), permissions, readOnly };
      const session = { ...record, kind: 'token' as const, accountId: user.id, epoch: 0, csrf: '', expires: expiresAt };
      const problem = await store.accessTokens.create(user, hashSecret(token), session, now());
      if (problem === 'too_many') return fail('access_tokens_too_many');
      return problem === null ? { ...record, lastUsed: null, expiresAt, token } : null;
    };
    return retryOnConflict(create);
  },

  deleteAccessToken: async ({ caller, customerId, params, fail }, { store, now }) => {
    const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
    if (!mayChangeCredentials(caller, user)) return fail('forbidden');
    const isRemoved = await store.accessTokens.remove(user.accountKey, params.tokenId, now());
    return isRemoved ? { status: 'OK' } : fail('access_token_not_found');
  },
});
