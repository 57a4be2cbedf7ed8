import * as z from 'zod';
import { defaults, group } from '#shared/api/operation.ts';
import { OtpProof, OtpRemoval, OtpSecret, RecoveryCodes } from '#shared/domain/identity/otp.ts';
import { SessionView } from '#shared/domain/identity/session.ts';
import { Login, OidcCallback, PasswordReset, PasswordResetRequest, User } from '#shared/domain/identity/user.ts';
import { Status, userIdText, uuid } from '#shared/domain/values.ts';

const ByUser = z.object({ userId: userIdText() });

/** Only users themselves manage their sessions and second factor. Neither colleagues nor access tokens can. */
const ofCaller = defaults({ auth: 'session', may: 'logged_in', params: ByUser, success: 200 });
const ofSelf = defaults({ ...ofCaller, path: '/users/{userId}/otp', beforeOtp: true });
const onlySelf = 'Only for the caller; naming any other user returns 404.';

const sessionHeaders = {
  Token: 'Session token, for `Authorization: Bearer`',
  'Set-Cookie': 'PSAUTHTOKEN (the token), PSUSERID and PSCSRF (for `X-CSRF-Token`), valid for a day',
} as const;

export const auth = group({
  name: 'auth',
  about: 'Login, second factor, sessions and password reset',
  operations: {
    login: {
      method: 'POST',
      path: '/users/login',
      summary: 'Log in',
      description:
        'Returns the user, with the session token in the header `Token` and in cookies. If the user has a second ' +
        'factor, a correct password without `otp` returns 401 with `otpRequired: true`. Each code works once. A ' +
        'wrong code is treated like a wrong password. The session ends after 24 hours. With `display`, for a wall ' +
        'display, the session ends after 24 hours without use and after 90 days at most, and the cookies are renewed ' +
        'once an hour. A display session may call only operations that say so; all others return 403. People who ' +
        'acknowledge an alarm at a display enter their `name`.',
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
        'backoffs.reset',
        'hash:passwords',
      ],
    },
    requestPasswordReset: {
      method: 'POST',
      path: '/users/password-reset',
      summary: 'Request a password reset code by email',
      description: 'Neither the response nor the response time reveals whether the user exists.',
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
      summary: 'Reset a password',
      description:
        "Sets a new password with the code from the email or invitation, and ends all of the user's sessions. The " +
        "code works once, and not after the user's email address has changed. The caller's IP address then counts as " +
        'known: wrong passwords from other addresses do not delay logins from there.',
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
      summary: 'Log out',
      beforeOtp: true,
      auth: 'session',
      may: 'logged_in',
      display: true,
      success: 200,
      response: Status.extend({
        url: z.string().optional().meta({
          description: 'Where to send the browser to also log out of the identity provider, if the session began there',
        }),
      }).meta({ id: 'LoggedOut' }),
      describedHeaders: { 'Set-Cookie': 'Deletes the three login cookies' },
      uses: ['sessions.end', 'externals.idToken', 'ask:issuer'],
    },
    getOidc: {
      method: 'GET',
      path: '/users/login/oidc',
      summary: 'Get the OpenID Connect issuer',
      description:
        'Returns the name of the identity provider (OpenID Connect issuer) people can log in through; null if none ' +
        'is configured.',
      auth: 'anyone',
      success: 200,
      response: z.object({ name: z.string().nullable() }).meta({ id: 'OidcIssuer' }),
      uses: ['ask:issuer'],
    },
    beginOidc: {
      method: 'POST',
      path: '/users/login/oidc',
      summary: 'Begin a login through the identity provider',
      description:
        "Returns the identity provider's URL to send the browser to. The cookie in this response binds the login to " +
        'the browser. The login must be completed within 10 minutes. Operations that ask for a password require ' +
        'users without one to have authenticated with the identity provider within the last 5 minutes; use ' +
        '`prompt=login` for that.',
      auth: 'anyone',
      csrfExempt: true,
      query: z.object({
        prompt: z.literal('login').optional().meta({
          description: 'asks users to authenticate again even if they are logged in to the identity provider',
        }),
      }),
      success: 201,
      response: z.object({ url: z.string() }).meta({ id: 'OidcLogin' }),
      describedHeaders: { 'Set-Cookie': 'PSOIDC, which binds the login to the browser' },
      errors: ['oidc_off'],
      uses: ['externals.startLogin', 'ask:issuer'],
    },
    finishOidc: {
      method: 'POST',
      path: '/users/login/oidc/answer',
      summary: 'Complete a login through the identity provider',
      description:
        'Takes the query string with which the identity provider sent the browser back. It works once. Responds like ' +
        "a password login. Each login sets the user's permissions from the claims. A user whose claims no longer " +
        'grant access is logged out everywhere.',
      auth: 'anyone',
      csrfExempt: true,
      body: OidcCallback,
      success: 200,
      response: User,
      describedHeaders: sessionHeaders,
      errors: ['oidc_off', 'oidc_refused', 'limit_reached'],
      uses: [
        'measure',
        'ask:issuer',
        'externals.completeLogin',
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
      summary: "List the caller's sessions",
      description:
        `Returns the sessions, newest first, at most those from the last 100 logins of a day. ${onlySelf} A session ` +
        'is one login; access tokens are not listed. For IPv6, `address` is the /64 network. The last use is not ' +
        'recorded.',
      response: z.array(SessionView),
      errors: ['user_not_found'],
      uses: ['logins.list', 'sessions.account', 'guard'],
    },
    endSession: {
      ...ofCaller,
      method: 'DELETE',
      path: '/users/{userId}/sessions/{sessionId}',
      summary: "End one of the caller's sessions",
      description: `The session is invalid starting with the next request. ${onlySelf}`,
      params: ByUser.extend({ sessionId: uuid }),
      response: Status,
      errors: ['user_not_found', 'session_not_found'],
      uses: ['logins.list', 'logins.end', 'sessions.account', 'guard'],
    },
    beginOtp: {
      ...ofSelf,
      method: 'POST',
      summary: 'Set up a second factor',
      description: `Generates a TOTP secret for an authenticator app. The second factor is off until a code confirms it. ${onlySelf}`,
      response: OtpSecret,
      errors: ['user_not_found', 'otp_on', 'user_external'],
      uses: ['users.get', 'otps.storeSecret', 'keep:otps', 'service:about'],
    },
    switchOnOtp: {
      ...ofSelf,
      method: 'PUT',
      summary: 'Enable the second factor',
      description:
        'Takes a code from the authenticator app, and returns ten recovery codes, which are not shown again. Each ' +
        `can replace an app code in one login. Other sessions limited to the setup end. ${onlySelf}`,
      body: OtpProof,
      response: RecoveryCodes,
      errors: ['user_not_found', 'otp_on', 'otp_not_found'],
      uses: ['users.get', 'otps.get', 'otps.enable', 'keep:otps'],
    },
    removeOtp: {
      method: 'DELETE',
      path: '/users/{userId}/otp',
      summary: "Remove a user's second factor",
      description:
        "Ends all of the user's sessions. Users remove their own second factor with their `password`; after 10 wrong " +
        'passwords within 15 minutes, the operation returns 429. Other callers need `manage_users` and all of the ' +
        "user's permissions.",
      auth: 'session',
      may: 'manage_users',
      orSelf: true,
      within: 'user',
      params: ByUser,
      body: OtpRemoval,
      success: 200,
      response: Status,
      errors: ['erasure_requester', 'user_not_found', 'otp_not_found'],
      uses: [
        'dataJobs.list',
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
