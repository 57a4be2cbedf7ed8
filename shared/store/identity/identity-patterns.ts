import { type AccessPattern, counting, each4KB, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns of users: who they are, how they log in, what proves it, and how often they call. */
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

  'externals.usersOf': pattern('The users of somebody whom an issuer knows', { query: ['externalUser'] }, [1, 0]),
  'externals.idToken': pattern('What the issuer said at the login of a session', { get: ['idToken'] }, [1, 0]),
  'externals.begin': pattern('A login that goes on at the issuer', { put: ['oidcLogin'] }, [0, 1]),
  'externals.take': pattern('Take such a login, once', { update: ['oidcLogin'] }, [0, 1]),
  'externals.keepIdToken': pattern(
    'Keep what the issuer said at a login, for the logout there',
    { put: ['idToken'] },
    [0, 1],
    'for each KB',
  ),
  'backoffs.wait': pattern('How long until the next try, after failures in a row?', { get: ['rate'] }, [1, 0]),
  'backoffs.fail': pattern(
    'Count a failure in a row',
    { get: ['rate'], put: ['rate'], update: ['rate'] },
    [0, 1],
    'and a read and 2 writes where the next try has to wait',
  ),
  'backoffs.succeed': pattern(
    'Forget failures in a row after a success',
    { get: ['rate'], remove: ['rate'] },
    [1, 1],
    'no write when there are none',
  ),
  'logins.list': pattern(
    'The sessions of an account',
    { query: ['login'], batchGet: ['session'] },
    [2, 0],
    '1 for each session, 100 at most',
  ),
  'logins.end': pattern('End one of them', { remove: ['login', 'session'] }, [0, 4]),
  'otps.get': pattern('The second factor of an account', { get: ['otp'] }, [1, 0]),
  'otps.begin': pattern('Keep the secret of a second factor that is not on yet', { put: ['otp'] }, [0, 1]),
  'otps.switchOn': pattern(
    'Switch a second factor on',
    { update: ['otp', 'account', 'user'], updateOnly: { session: ['mustSetOtp'] } },
    [0, 7],
  ),
  'otps.useStep': pattern('Use up a code of an app', { update: ['otp'] }, [0, 1]),
  'otps.useCode': pattern(
    'Use up a recovery code',
    { get: ['otp'], update: ['otp'] },
    [1, 1],
    'again when another was used at the same time',
  ),
  'otps.remove': pattern('Remove a second factor', { remove: ['otp'], update: ['account', 'user'] }, [0, 6]),
  'resets.byHash': pattern('A code that resets a password', { get: ['reset'] }, [1, 0]),
  'resets.create': pattern('A new code that resets a password', { put: ['reset', 'resetOfAccount'] }, [0, 4]),
  'resets.use': pattern(
    'A password reset, once for a code',
    { put: ['password'], update: ['account'], remove: ['reset'] },
    [0, 6],
  ),
  'sessions.session': pattern('A session or access token', { get: ['session'] }, [1, 0]),
  'sessions.account': pattern('What an account may do', { get: ['account'] }, [1, 0]),
  'sessions.accountKeyOf': pattern('Who has this username?', { get: ['username'] }, [1, 0]),
  'sessions.passwordHash': pattern('The password of an account', { get: ['password'] }, [1, 0]),
  'sessions.isKnownAddress': pattern('Did this address log in before?', { get: ['knownAddress'] }, [1, 0]),
  'sessions.start': pattern('A new session, listed among the logins', { put: ['session', 'login'] }, [0, 4]),
  'sessions.end': pattern('End a session', { remove: ['session'] }, [0, 1]),
  'sessions.rehash': pattern('Replace the hash of a password by one of a new cost', { put: ['password'] }, [0, 1]),
  'sessions.setPassword': pattern(
    'Replace a password, which ends all sessions',
    { put: ['password'], update: ['account'] },
    [0, 4],
  ),
  'sessions.rememberAddress': pattern('Remember an address that logged in', { put: ['knownAddress'] }, [0, 1]),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
