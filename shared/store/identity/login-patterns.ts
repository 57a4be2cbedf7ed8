import { type AccessPattern, pattern } from '../access-pattern.ts';
import type { StoreCall } from '../store.ts';

/** Access patterns of logins: what proves them, and the sessions that they start. */
export const loginPatterns = {
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
