import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { OtpProof, OtpRemoval, OtpSecret, RecoveryCodes } from '#shared/domain/identity/otp.ts';
import { SessionView } from '#shared/domain/identity/session.ts';
import { Login, OidcAnswer, PasswordReset, PasswordResetRequest, User } from '#shared/domain/identity/user.ts';
import { idText, Status, uuid } from '#shared/domain/values.ts';

const me = { type: ['integer', 'string'], pattern: '^(me|[1-9][0-9]*)$' } as const;
const ByUser = z.object({ userId: idText.meta({ ...me, description: 'Id of the user, or `me`' }) });

/** Nobody sets up a second factor for somebody else, or sees the sessions, and no program does for its user. */
const ofCaller = defaults({ auth: 'session', may: 'logged_in', params: ByUser, success: 200 });
const ofSelf = defaults({ ...ofCaller, path: '/users/{userId}/otp', beforeOtp: true });
const onlySelf = 'Only for the user itself; for anybody else there is no such user.';

const sessionHeaders = {
  Token: 'The token of the session, for `Authorization: Bearer`',
  'Set-Cookie': 'PSAUTHTOKEN (the token), PSUSERID and PSCSRF (for `X-CSRF-Token`), for a day',
} as const;

export const auth = group({
  name: 'auth',
  about: 'Login with its second factor, logout, and new passwords by mail',
  operations: {
    login: {
      method: 'POST',
      path: '/users/login',
      summary: 'Log in',
      description:
        'Answers with the user, the session token in the header `Token`, and the session cookies. Where the user has a ' +
        'second factor, a right password without `otp` is a 401 with `otpRequired: true`. A code is good once. A wrong ' +
        'one is answered and counted as a wrong password is.',
      auth: 'anyone',
      csrfExempt: true,
      body: Login,
      success: 200,
      response: User,
      describedHeaders: sessionHeaders,
      errors: ['credentials_invalid', 'otp_required'],
      uses: [
        'measure',
        'otps.get',
        'otps.useStep',
        'otps.useCode',
        'keep:otps',
        'customers.get',
        'sessions.accountKeyOf',
        'sessions.account',
        'sessions.passwordHash',
        'sessions.isKnownAddress',
        'sessions.rehash',
        'sessions.start',
        'sessions.rememberAddress',
        'users.get',
        'limits.secondsToWait',
        'limits.countFailure',
        'backoffs.wait',
        'backoffs.fail',
        'backoffs.succeed',
        'hash:passwords',
      ],
    },
    requestPasswordReset: {
      method: 'POST',
      path: '/users/password-reset',
      summary: 'Request a code by mail that resets a password',
      description: 'The answer and its time are the same whether there is such a user or not.',
      auth: 'anyone',
      body: PasswordResetRequest,
      success: 202,
      response: Status,
      uses: [
        'limits.countFailure',
        'limits.take',
        'sessions.accountKeyOf',
        'sessions.account',
        'users.get',
        'resets.create',
        'send:mail',
      ],
    },
    confirmPasswordReset: {
      method: 'POST',
      path: '/users/password-reset/confirm',
      summary: 'Set a new password by the code of the mail, which is valid once; all sessions end',
      description:
        'The address of the caller counts as one that logged in before: wrong passwords from other addresses do not ' +
        'delay its logins. A code is void once the e-mail address of the user has changed.',
      auth: 'anyone',
      body: PasswordReset,
      success: 200,
      response: Status,
      errors: ['reset_code_invalid'],
      uses: [
        'limits.secondsToWait',
        'limits.countFailure',
        'guard',
        'resets.byHash',
        'resets.use',
        'sessions.rememberAddress',
        'hash:passwords',
      ],
    },
    logout: {
      method: 'POST',
      path: '/users/logout',
      summary: 'End the session',
      beforeOtp: true,
      auth: 'session',
      may: 'logged_in',
      success: 200,
      response: Status.extend({
        url: z.string().optional().meta({
          description: 'Where the browser logs out of the issuer too, when the session began there',
        }),
      }).meta({ id: 'LoggedOut' }),
      describedHeaders: { 'Set-Cookie': 'Ends the three cookies of the login' },
      uses: ['sessions.end', 'externals.idToken', 'ask:issuer'],
    },
    getOidc: {
      method: 'GET',
      path: '/users/login/oidc',
      summary: 'Get the name of the issuer of OpenID Connect at which people can log in; null when there is none',
      auth: 'anyone',
      success: 200,
      response: z.object({ name: z.string().nullable() }).meta({ id: 'OidcIssuer' }),
      uses: ['ask:issuer'],
    },
    beginOidc: {
      method: 'POST',
      path: '/users/login/oidc',
      summary: 'Begin a login at the issuer: gives the address that the browser is to go to',
      description:
        'The login is for the browser with the cookie of this answer alone, for 10 minutes. What needs a password of ' +
        'others needs of those without one that the issuer asked who they are in the last 5 minutes.',
      auth: 'anyone',
      csrfExempt: true,
      query: z.object({
        prompt: z.literal('login').optional().meta({ description: 'the issuer asks even who is logged in there' }),
      }),
      success: 201,
      response: z.object({ url: z.string() }).meta({ id: 'OidcLogin' }),
      describedHeaders: { 'Set-Cookie': 'PSOIDC, which binds the login to the browser' },
      errors: ['oidc_off'],
      uses: ['externals.begin', 'ask:issuer'],
    },
    finishOidc: {
      method: 'POST',
      path: '/users/login/oidc/answer',
      summary: 'Log in by the query with which the issuer sent the browser back; it is good once',
      description:
        'Answers as a login by password does. The rights of the user are those that the claims give at this login; ' +
        'whoever has none any more is logged out everywhere.',
      auth: 'anyone',
      csrfExempt: true,
      body: OidcAnswer,
      success: 200,
      response: User,
      describedHeaders: sessionHeaders,
      errors: ['oidc_off', 'oidc_refused', 'limit_reached'],
      uses: [
        'measure',
        'ask:issuer',
        'externals.take',
        'externals.usersOf',
        'externals.keepIdToken',
        'limits.nextNumber',
        'users.get',
        'users.createExternal',
        'users.setAccess',
        'keep:quotas',
        'sessions.account',
        'sessions.start',
        'sessions.rememberAddress',
      ],
    },
    listSessions: {
      ...ofCaller,
      method: 'GET',
      path: '/users/{userId}/sessions',
      summary: 'List the sessions of the caller, the newest first',
      description:
        `${onlySelf} A session is one login; access tokens are none. At most the last 100 logins of a day are looked ` +
        'at. `address` is the network (/64) of an IPv6 address. When a session was last used is not kept.',
      response: z.array(SessionView),
      errors: ['user_not_found'],
      uses: ['logins.list', 'sessions.account', 'guard'],
    },
    endSession: {
      ...ofCaller,
      method: 'DELETE',
      path: '/users/{userId}/sessions/{sessionId}',
      summary: 'End a session of the caller, from the next request on',
      description: onlySelf,
      params: ByUser.extend({ sessionId: uuid }),
      response: Status,
      errors: ['user_not_found', 'session_not_found'],
      uses: ['logins.list', 'logins.end', 'sessions.account', 'guard'],
    },
    beginOtp: {
      ...ofSelf,
      method: 'POST',
      summary: 'Draw the secret of a second factor (TOTP), which is not on yet',
      description: onlySelf,
      response: OtpSecret,
      errors: ['user_not_found', 'otp_on', 'user_external'],
      uses: ['users.get', 'otps.begin', 'keep:otps', 'service:about'],
    },
    switchOnOtp: {
      ...ofSelf,
      method: 'PUT',
      summary: 'Switch the second factor on, by a code of the app; gives ten recovery codes, which are shown only once',
      description:
        `${onlySelf} Each recovery code takes the place of a code of the app in one login. Other sessions that could ` +
        'only set it up end.',
      body: OtpProof,
      response: RecoveryCodes,
      errors: ['user_not_found', 'otp_on', 'otp_not_found'],
      uses: ['users.get', 'otps.get', 'otps.switchOn', 'keep:otps'],
    },
    removeOtp: {
      method: 'DELETE',
      path: '/users/{userId}/otp',
      summary: 'Remove the second factor of a user; all sessions of the user end',
      description:
        'For the user itself, with its `password` (after 10 wrong ones in 15 minutes the answer is 429), and for ' +
        'callers with `manage_users` who hold every permission that the user holds.',
      auth: 'session',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: OtpRemoval,
      success: 200,
      response: Status,
      errors: ['user_not_found', 'otp_not_found'],
      uses: [
        'users.get',
        'otps.remove',
        'limits.secondsToWait',
        'limits.countFailure',
        'sessions.passwordHash',
        'hash:passwords',
      ],
    },
  },
});
