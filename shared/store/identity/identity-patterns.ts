import { type AccessPattern, counting, each4KB, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns of users: who they are, how they log in, how often they call. */
export const identityPatterns = {
  'accessTokens.list': pattern(
    'The access tokens of a user',
    { batchGet: ['session'], query: ['accessToken'] },
    [2, 0],
    '1 for each token',
  ),
  'accessTokens.create': pattern(
    'A new access token, if there is room',
    { query: ['accessToken'], put: ['accessToken', 'session'], check: ['account'] },
    [1, 6],
    'again when another took the place',
  ),
  'accessTokens.remove': pattern(
    'Delete an access token',
    { query: ['accessToken'], remove: ['accessToken', 'session'] },
    [1, 4],
  ),
  'accessTokens.removeAll': pattern(
    'Delete the tokens of a deleted user',
    { query: ['accessToken'], remove: ['accessToken', 'session'] },
    [1, 4],
    'writes for each token',
  ),
  'accessTokens.noteUse': pattern(
    'Note the use of an access token, once a minute',
    { updateOnly: { session: ['lastUsed'] } },
    [0, 1],
  ),

  'channels.list': pattern('The channels of a user', { query: ['channel'] }, [1, 0]),
  'channels.provenOf': pattern(
    'By what can a user be reached?',
    { query: ['channel'], get: ['pushKey'] },
    [2, 0],
    '1 less without a push',
  ),
  'channels.put': pattern('Replace a channel of a user', { put: ['channel'], check: ['user'] }, [0, 4]),
  'channels.tryCode': pattern('Take one of the tries of a code', { update: ['channel'] }, [0, 1]),
  'channels.prove': pattern('Note that a channel is proven', { update: ['channel'] }, [0, 1]),
  'channels.remove': pattern('Delete a channel', { remove: ['channel'] }, [0, 1]),

  'duty.of': pattern('Who of a customer is on duty?', { query: ['duty'] }, [1, 0], each4KB),
  'duty.begin': pattern('Note that a user is on duty', { put: ['duty'], check: ['user'] }, [0, 4]),
  'duty.end': pattern('Note that a user is off duty', { remove: ['duty'] }, [0, 1]),

  'pushKeys.get': pattern('The key that pushes are signed with', { get: ['pushKey'] }, [1, 0], 'once for each process'),
  'pushKeys.keep': pattern('Keep that key, once', { put: ['pushKey'] }, [0, 1]),

  'limits.countCall': pattern('Count a call in this second', { update: ['rate'] }, [0, 1]),
  'limits.secondsToWait': pattern('How long until the next try?', { get: ['rate'] }, [1, 0]),
  'limits.countFailure': pattern(
    'Count a failure in its window of time',
    { put: ['rate'], update: ['rate'] },
    [0, 1],
    'and 1 for the first of a window',
  ),
  'limits.take': pattern(
    'Take one of a number of tries in a span of time',
    { get: ['rate'], put: ['rate'] },
    [1, 1],
    'again when another took one',
  ),
  'limits.nextNumber': pattern('Draw the next id of a sequence', { update: ['counter'] }, [0, 1]),

  'users.get': pattern('A user', { get: ['user'] }, [1, 0]),
  'recipients.onDuty': pattern('Who of a customer is to be told?', { query: ['duty'] }, [1, 0], each4KB),
  'recipients.person': pattern(
    'A user who may be told of what happens at a customer',
    { get: ['user', 'owner'] },
    [1, 0],
    '3 for a system admin of another customer',
  ),
  'users.former': pattern('Was there such a user?', { get: ['formerUser'] }, [1, 0]),
  'users.list': pattern('The users of a customer', { query: ['user'] }, [1, 0], each4KB),
  'users.create': pattern(
    'A new user, if the username is free',
    counting({ put: ['username', 'user', 'account', 'password', 'owner'] }),
    [1, 12],
    'read 0 and write 10 without a customer',
  ),
  'users.createExternal': pattern(
    'A new user of an issuer, if the username is free',
    counting({ put: ['username', 'user', 'account', 'externalUser', 'owner'] }),
    [1, 12],
    'read 0 and write 10 without a customer',
  ),
  'users.setProfile': pattern('Replace the profile of a user', { update: ['user', 'account'] }, [0, 4]),
  'users.setAccess': pattern(
    'Replace what a user may do',
    { update: ['user', 'account'], remove: ['duty'] },
    [0, 6],
    '4 for whoever may log in',
  ),
  'users.remove': pattern(
    'Delete a user',
    counting({
      put: ['formerUser'],
      remove: ['user', 'account', 'password', 'otp', 'username', 'owner', 'duty', 'channel', 'externalUser'],
    }),
    [1, 26],
  ),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
