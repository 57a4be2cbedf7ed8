import { type AccessPattern, pattern, per4KB, withCount } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Screens may read a session that is a few seconds out of date. */
const ofScreens = '0.5 for a screen that calls every few seconds';

/** Access patterns for users: accounts, logins, credentials and rate limits. */
export const identityPatterns = {
  'accessTokens.list': pattern(
    "A user's access tokens",
    { batchGet: ['session'], query: ['accessToken'] },
    [2, 0],
    '1 per token',
  ),
  'accessTokens.create': pattern(
    'Create an access token, if a slot is free',
    { query: ['accessToken'], put: ['accessToken', 'session'], check: ['account'] },
    [1, 6],
    'the same again if another call took the slot',
  ),
  'accessTokens.remove': pattern(
    'Delete an access token',
    { query: ['accessToken'], remove: ['accessToken', 'session'] },
    [1, 4],
  ),
  'accessTokens.removeAll': pattern(
    "Delete a deleted user's tokens",
    { query: ['accessToken'], remove: ['accessToken', 'session'] },
    [1, 4],
    '4 W per token',
  ),
  'accessTokens.recordUse': pattern(
    "Record an access token's use, once a minute",
    { updateOnly: { session: ['lastUsed'] } },
    [0, 1],
  ),

  'channels.list': pattern("A user's channels", { query: ['channel'] }, [1, 0]),
  'channels.verifiedOf': pattern(
    "A user's verified channels",
    { query: ['channel'], get: ['pushKey'] },
    [2, 0],
    '1 less without push notifications',
  ),
  'channels.put': pattern("Replace one of a user's channels", { put: ['channel'], check: ['user'] }, [0, 4]),
  'channels.tryCode': pattern('Use up one attempt at a code', { update: ['channel'] }, [0, 1]),
  'channels.verify': pattern('Record that a channel is verified', { update: ['channel'] }, [0, 1]),
  'channels.markUndeliverable': pattern('Record that a message did not arrive', { update: ['channel'] }, [0, 1]),
  'channels.recordReached': pattern(
    'Record that messages arrive at a channel, perhaps at a new address',
    { update: ['channel'] },
    [0, 1],
  ),
  'channels.remove': pattern('Delete a channel', { remove: ['channel'] }, [0, 1]),

  'duty.get': pattern(
    "Which of a customer's users went on or off duty, and the roster",
    { query: ['duty', 'roster'] },
    [1, 0],
    'per 4 KB; a roster with 500 entries has 40 KB',
  ),
  'duty.roster': pattern("A customer's roster", { get: ['roster'] }, [1, 0], per4KB),
  'duty.begin': pattern('Put a user on duty', { update: ['duty'], check: ['user'] }, [0, 4]),
  'duty.end': pattern('Take a user off duty', { update: ['duty'] }, [0, 1]),
  'duty.setRoster': pattern(
    "Replace a customer's roster",
    { put: ['roster'], check: ['customer'] },
    [0, 4],
    '2 more per KB',
  ),
  'dutyChecks.list': pattern(
    'When is the next check of who is on duty, for each customer?',
    { query: ['dutyCheck'] },
    [1, 0],
    per4KB,
  ),
  'dutyChecks.get': pattern('The next duty check for one customer', { get: ['dutyCheck'] }, [1, 0]),
  'dutyChecks.put': pattern('Record a check of who is on duty', { put: ['dutyCheck'] }, [0, 1]),
  'dutyChecks.remove': pattern("End a customer's duty checks", { remove: ['dutyCheck'] }, [0, 1]),

  'pushKeys.get': pattern('The signing key for push messages', { get: ['pushKey'] }, [1, 0], 'once per process'),
  'pushKeys.keep': pattern('Store that key, once', { put: ['pushKey'] }, [0, 1]),

  'limits.countCall': pattern('Count a call in this second', { update: ['rate'] }, [0, 1]),
  'limits.secondsToWait': pattern('How long until the next attempt?', { get: ['rate'] }, [1, 0]),
  'limits.countFailure': pattern(
    'Count a failure in its time window',
    { put: ['rate'], update: ['rate'] },
    [0, 1],
    '1 more for the first in a window',
  ),
  'limits.countWithin': pattern(
    'Count an SMS within its quota',
    { get: ['rate'], put: ['rate'], update: ['rate'] },
    [0, 1],
    '1 R 1 W more for the first in a window; 1 R more if none is left',
  ),
  'limits.mayTake': pattern('Are any attempts left in a time window?', { get: ['rate'] }, [1, 0]),
  'limits.take': pattern(
    'Use up one attempt in a time window',
    { get: ['rate'], put: ['rate'] },
    [1, 1],
    'the same again if another call used one',
  ),
  'limits.giveBack': pattern('Give back such an attempt', { get: ['rate'], put: ['rate'] }, [1, 1]),
  'limits.nextNumber': pattern('Take the next number in a sequence', { update: ['counter'] }, [0, 1]),

  'users.get': pattern('A user', { get: ['user'] }, [1, 0]),
  'recipients.person': pattern(
    'A user who may be notified about a customer',
    { get: ['user', 'owner'] },
    [1, 0],
    '3 for a system admin from another customer',
  ),
  'users.former': pattern('Did this user exist?', { get: ['formerUser'] }, [1, 0]),
  'users.list': pattern("A customer's users", { query: ['user'] }, [1, 0], per4KB),
  'users.create': pattern(
    'Create a user, if the username is free',
    withCount({ put: ['username', 'user', 'account', 'password', 'owner'] }),
    [1, 12],
    '0 R 10 W without a customer',
  ),
  'users.createExternal': pattern(
    'Create a user who logs in through an issuer, if the username is free',
    withCount({ put: ['username', 'user', 'account', 'externalUser', 'owner'] }),
    [1, 12],
    '0 R 10 W without a customer',
  ),
  'users.setProfile': pattern("Replace a user's profile", { update: ['user', 'account'] }, [0, 4]),
  'users.setAccess': pattern(
    "Replace a user's role and permissions",
    { update: ['user', 'account'], remove: ['duty'] },
    [0, 6],
    '4 if the user may still log in',
  ),
  'users.remove': pattern(
    'Delete a user',
    withCount({
      put: ['formerUser'],
      remove: ['user', 'account', 'password', 'otp', 'username', 'owner', 'duty', 'channel', 'externalUser'],
    }),
    [1, 26],
  ),

  'externals.usersOf': pattern('The users for a person known to an issuer', { query: ['externalUser'] }, [1, 0]),
  'externals.idToken': pattern("The ID token from a session's login", { get: ['idToken'] }, [1, 0]),
  'externals.startLogin': pattern('Start a login through an issuer', { put: ['oidcLogin'] }, [0, 1]),
  'externals.completeLogin': pattern('Complete such a login, once', { update: ['oidcLogin'] }, [0, 1]),
  'externals.keepIdToken': pattern(
    "Keep a login's ID token, to log out at the issuer",
    { put: ['idToken'] },
    [0, 1],
    'per KB',
  ),
  'backoffs.wait': pattern('How long until the next attempt, after consecutive failures?', { get: ['rate'] }, [1, 0]),
  'backoffs.fail': pattern(
    'Count a consecutive failure',
    { get: ['rate'], put: ['rate'], update: ['rate'] },
    [0, 1],
    '1 R 2 W more if the next attempt has to wait',
  ),
  'backoffs.reset': pattern(
    'Reset the consecutive failures after a success',
    { get: ['rate'], remove: ['rate'] },
    [1, 1],
    '0 W if there are none',
  ),
  'logins.list': pattern(
    "An account's sessions",
    { query: ['login'], batchGet: ['session'] },
    [2, 0],
    '1 per session, 100 at most',
  ),
  'logins.end': pattern('End one of those sessions', { remove: ['login', 'session'] }, [0, 4]),
  'otps.get': pattern("An account's second factor", { get: ['otp'] }, [1, 0]),
  'otps.storeSecret': pattern('Store the secret for a second factor that is not enabled yet', { put: ['otp'] }, [0, 1]),
  'otps.enable': pattern(
    'Enable a second factor',
    { update: ['otp', 'account', 'user'], updateOnly: { session: ['mustSetOtp'] } },
    [0, 7],
  ),
  'otps.useStep': pattern('Use up an authenticator app code', { update: ['otp'] }, [0, 1]),
  'otps.useCode': pattern(
    'Use up a recovery code',
    { get: ['otp'], update: ['otp'] },
    [1, 1],
    'the same again if another one was used at the same time',
  ),
  'otps.remove': pattern('Remove a second factor', { remove: ['otp'], update: ['account', 'user'] }, [0, 6]),
  'resets.byHash': pattern('A password reset code', { get: ['reset'] }, [1, 0]),
  'resets.create': pattern('Create a password reset code', { put: ['reset', 'resetOfAccount'] }, [0, 4]),
  'resets.use': pattern(
    'Reset a password, once per code',
    { put: ['password'], update: ['account'], remove: ['reset'] },
    [0, 6],
  ),
  'sessions.session': pattern('A session or access token', { get: ['session'] }, [1, 0], ofScreens),
  'sessions.account': pattern('What an account may do', { get: ['account'] }, [1, 0], ofScreens),
  'sessions.accountKeyOf': pattern('Which account has this username?', { get: ['username'] }, [1, 0]),
  'sessions.passwordHash': pattern("An account's password", { get: ['password'] }, [1, 0]),
  'sessions.isKnownAddress': pattern('Has this address logged in before?', { get: ['knownAddress'] }, [1, 0]),
  'sessions.start': pattern('Start a session, listed among the logins', { put: ['session', 'login'] }, [0, 4]),
  'sessions.renew': pattern(
    'Extend a display session, once an hour',
    { updateOnly: { session: ['expires', 'ttl'] } },
    [0, 1],
  ),
  'sessions.end': pattern('End a session', { remove: ['session'] }, [0, 1]),
  'sessions.rehash': pattern('Replace a password hash with one at a new cost', { put: ['password'] }, [0, 1]),
  'sessions.setPassword': pattern(
    'Replace a password, which ends all sessions',
    { put: ['password'], update: ['account'] },
    [0, 4],
  ),
  'sessions.rememberAddress': pattern('Remember an address that logged in', { put: ['knownAddress'] }, [0, 1]),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
