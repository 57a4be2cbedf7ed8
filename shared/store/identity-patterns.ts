import { type AccessPattern, each4KB, pattern, type StoreCall } from './access-pattern.ts';

/** Access patterns of users: who they are, how they log in, how often they call. */
export const identityPatterns = {
  'accessTokens.list': pattern('The access tokens of a user', ['accessToken', 'session'], 2, 0, '1 for each token'),
  'accessTokens.create': pattern(
    'A new access token, if there is room',
    ['account', 'accessToken', 'session'],
    1,
    6,
    'again when another took the place',
  ),
  'accessTokens.remove': pattern('An access token opens nothing more', ['accessToken', 'session'], 1, 4),
  'accessTokens.removeAll': pattern(
    'The tokens of a user who is gone',
    ['accessToken', 'session'],
    1,
    4,
    'writes for each token',
  ),
  'accessTokens.noteUse': pattern('An access token was used, once a minute', ['session'], 0, 1),

  'backoffs.wait': pattern('How long after failures in a row until the next try?', ['rate'], 1, 0),
  'backoffs.fail': pattern(
    'One more failure in a row',
    ['rate'],
    0,
    1,
    'and a read and 2 writes where the next try has to wait',
  ),
  'backoffs.succeed': pattern('A success ends the failures in a row', ['rate'], 1, 1, 'no write when there are none'),

  'limits.countCall': pattern('The number of this call in this second', ['rate'], 0, 1),
  'limits.countMessages': pattern('The number of this call and of its messages in this second', ['rate'], 0, 1),
  'limits.secondsToWait': pattern('How long until the next try?', ['rate'], 1, 0),
  'limits.countFailure': pattern(
    'The number of this failure in its window',
    ['rate'],
    0,
    1,
    'and 1 for the first of a window',
  ),
  'limits.take': pattern('One of so many in a span of time', ['rate'], 1, 1, 'again when another took one'),
  'limits.nextNumber': pattern('The next id of a sequence', ['counter'], 0, 1),

  'resets.byHash': pattern('A code that resets a password', ['reset'], 1, 0),
  'resets.create': pattern('A new code that resets a password', ['reset'], 0, 1),
  'resets.use': pattern('A password reset, once for a code', ['reset', 'password', 'account'], 0, 6),

  'sessions.session': pattern('A session or access token', ['session'], 1, 0),
  'sessions.account': pattern('What an account may do', ['account'], 1, 0),
  'sessions.accountKeyOf': pattern('Who has this username?', ['username'], 1, 0),
  'sessions.passwordHash': pattern('The password of an account', ['password'], 1, 0),
  'sessions.isKnownAddress': pattern('Did this address log in before?', ['knownAddress'], 1, 0),
  'sessions.start': pattern('A new session', ['session'], 0, 1),
  'sessions.end': pattern('A session is over', ['session'], 0, 1),
  'sessions.rehash': pattern('The hash of a password at a new cost', ['password'], 0, 1),
  'sessions.setPassword': pattern('A new password, and all sessions are over', ['password', 'account'], 0, 4),
  'sessions.rememberAddress': pattern('An address that logged in', ['knownAddress'], 0, 1),

  'users.get': pattern('A user', ['user'], 1, 0),
  'users.list': pattern('The users of a customer', ['user'], 1, 0, each4KB),
  'users.create': pattern(
    'A new user, if the username is free',
    ['username', 'user', 'account', 'password', 'home', 'customer'],
    1,
    12,
    'read 0 and write 10 without a customer',
  ),
  'users.setProfile': pattern('A new profile', ['user', 'account'], 0, 4),
  'users.setAccess': pattern('What a user may do from now on', ['user', 'account'], 0, 4),
  'users.remove': pattern('A user is gone', ['user', 'account', 'password', 'username', 'home', 'customer'], 1, 12),
} as const satisfies Partial<Record<StoreCall, AccessPattern>>;
