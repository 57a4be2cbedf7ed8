import { checkPassword } from '#shared/api/check-password.ts';
import { refuseRequester } from '#shared/api/erasure-requester.ts';
import { expiredCookies } from '#shared/api/http/cookies.ts';
import { isValidSession } from '#shared/api/middleware/authenticate.ts';
import { Reply } from '#shared/api/operation.ts';
import { serve } from '#shared/api/serve.ts';
import { isCommonPassword } from '#shared/auth/common-passwords.ts';
import { newOtpSecret, otpUri, timeStepOf } from '#shared/auth/otp.ts';
import { normalizedOtp, RECOVERY_BYTES, recoveryCodes } from '#shared/domain/identity/otp.ts';
import { type Caller, mayChangeCredentials } from '#shared/domain/identity/permission.ts';
import { limitOf } from '#shared/domain/identity/quota.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import { retryOnConflict } from '#shared/store/engine/retry.ts';
import type { StoreOf } from '#shared/store/store.ts';
import { auth } from './contract.ts';
import { logIn } from './login.ts';
import { confirmReset, requestReset } from './reset.ts';
import { boundSecret, recoveryHash, secretFrom } from './second-factor.ts';
import { startSession } from './start-session.ts';
import { countAddress, secondsOfAddress } from './throttle.ts';

/** Loaded on demand, because most people log in with a password. */
const external = () => import('./oidc.ts');

type Fail = (code: 'user_not_found') => never;
type UserCall = { caller: Caller; accountKey: string; params: { userId: number }; fail: Fail };
/** Returns the caller's account key if the path names the caller. */
const ownAccountKey = ({ caller, accountKey, params, fail }: UserCall): string =>
  params.userId === caller.accountId ? accountKey : fail('user_not_found');

/** Returns the caller's user if the path names the caller. */
const ownUser = async (call: UserCall, { users }: StoreOf<'users.get'>) => {
  ownAccountKey(call);
  const { customerId, accountId } = call.caller;
  return (await users.get(customerId, accountId)) ?? call.fail('user_not_found');
};

/** Returns all of the account's valid sessions. */
const validSessions = async (
  accountKey: string,
  { store, settings, now }: Deps<'logins.list' | 'sessions.account' | 'guard'>,
) => {
  const [account, sessions] = await Promise.all([store.sessions.account(accountKey), store.logins.list(accountKey)]);
  return sessions.flatMap(({ expires, ...session }) =>
    expires !== null && isValidSession({ settings, now }, { ...session, expires }, account)
      ? [{ ...session, expires }]
      : [],
  );
};

export const handler = serve(auth, {
  login: async ({ body, address, fail, event, actAs }, deps) => {
    const outcome = await logIn(body, address, { ...deps, actAs });
    if (typeof outcome === 'number') return fail('rate_limited', { waitSeconds: outcome });
    if (typeof outcome === 'string') return fail(outcome);
    const { account } = outcome;
    const { customerId } = account;
    const customer = account.hasOtp || customerId === null ? null : await deps.store.customers.get(customerId);
    const login = { ...outcome, mustSetOtp: customer?.requireOtp === true, display: body.display };
    return (await startSession(login, { event, address }, deps)) ?? fail('credentials_invalid');
  },

  requestPasswordReset: async ({ body, address, fail, actAs }, deps) => {
    const seconds = await requestReset(usernameKey(body.username), address, { ...deps, actAs });
    return seconds > 0 ? fail('rate_limited', { waitSeconds: seconds }) : { status: 'OK' };
  },

  confirmPasswordReset: async ({ body, address, fail, refuse, actAs }, deps) => {
    const { store, now } = deps;
    if (isCommonPassword(body.newPassword)) refuse('newPassword', 'password_common');
    const wait = await secondsOfAddress(store, address, now());
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const accountKey = await confirmReset(body, { ...deps, actAs });
    if (accountKey === null) {
      await countAddress(store, address, now());
      return fail('reset_code_invalid');
    }
    // Anyone who can read the account's email may log in from this address, even while others are guessing the
    // password.
    await store.sessions.rememberAddress(accountKey, address, now());
    return { status: 'OK' };
  },

  logout: async ({ sessionHash, event }, deps) => {
    await deps.store.sessions.end(sessionHash);
    const url = deps.settings.OIDC_ISSUER === '' ? null : await (await external()).logoutUrl(sessionHash, deps);
    return new Reply({ status: 'OK', ...(url !== null && { url }) }, { cookies: expiredCookies(event) });
  },

  getOidc: async (_, { settings }) => ({ name: settings.OIDC_ISSUER === '' ? null : settings.OIDC_NAME }),

  beginOidc: async ({ event, query, fail }, deps) => {
    if (deps.settings.OIDC_ISSUER === '') return fail('oidc_off');
    const { url, cookie } = await (await external()).beginLogin(event, query.prompt, deps);
    return new Reply({ url }, { cookies: [cookie] });
  },

  finishOidc: async ({ body, event, address, fail, actAs }, deps) => {
    if (deps.settings.OIDC_ISSUER === '') return fail('oidc_off');
    const { identityOf, startExternal, userOf } = await external();
    const identity = await identityOf(body.query, event, deps);
    const outcome = identity && (await retryOnConflict(() => userOf(identity, { ...deps, actAs })));
    const reply =
      outcome && 'user' in outcome && (await startExternal(identity, outcome.user, { event, address }, deps));
    if (reply) return reply;
    deps.measure('LoginsFailed');
    const isFull = outcome && 'refused' in outcome && outcome.refused === 'limit_reached';
    return isFull ? fail('limit_reached', limitOf(deps.quotas, 'users')) : fail('oidc_refused');
  },

  listSessions: async (call, deps) => {
    const { sessionHash } = call;
    return (await validSessions(ownAccountKey(call), deps)).map(
      ({ hash, address = '', userAgent = '', display = false, ...session }) => ({
        ...session,
        address,
        userAgent,
        display,
        isCurrent: hash === sessionHash,
      }),
    );
  },

  endSession: async (call, deps) => {
    const accountKey = ownAccountKey(call);
    const found = (await validSessions(accountKey, deps)).find(({ id }) => id === call.params.sessionId);
    const isEnded = found !== undefined && (await deps.store.logins.end(accountKey, found));
    return isEnded ? { status: 'OK' } : call.fail('session_not_found');
  },

  beginOtp: async (call, { store, encryptOtp, random, settings }) => {
    const { accountKey, username, subject } = await ownUser(call, store);
    if (subject) return call.fail('user_external');
    const secret = newOtpSecret(random(20));
    const isOff = await store.otps.storeSecret(accountKey, await encryptOtp(boundSecret(accountKey, secret)));
    if (!isOff) return call.fail('otp_on');
    return { secret, uri: await otpUri(settings.SERVICE_NAME, username, secret) };
  },

  switchOnOtp: async (call, { store: { users, otps }, decryptOtp, random, now }) => {
    const { body, sessionHash, fail, refuse } = call;
    const user = await ownUser(call, { users });
    const { accountKey } = user;
    const otp = (await otps.get(accountKey)) ?? fail('otp_not_found');
    if (otp.isOn) return fail('otp_on');
    const secret = secretFrom(accountKey, await decryptOtp(otp.sealed));
    const lastStep = (await timeStepOf(secret, normalizedOtp(body.otp), now(), 0)) ?? refuse('otp', 'wrong_otp');
    const newCodes = recoveryCodes(random(RECOVERY_BYTES));
    const codes = newCodes.map((code) => recoveryHash(accountKey, normalizedOtp(code)));
    const isEnabled = await otps.enable(user, otp, { lastStep, codes, sessionHash });
    return isEnabled ? { recoveryCodes: newCodes } : fail('otp_on');
  },

  removeOtp: async (call, deps) => {
    const { caller, customerId, params, body, fail, refuse } = call;
    const { store } = deps;
    const find = async () => {
      const user = (await store.users.get(customerId, params.userId)) ?? fail('user_not_found');
      return mayChangeCredentials(caller, user) ? user : fail('forbidden');
    };
    const { id, accountKey } = await find();
    if (id !== caller.accountId) await refuseRequester(call, deps);
    else {
      const { isRight, waitSeconds } = await checkPassword(
        accountKey,
        body.password ?? refuse('password', 'required'),
        deps,
      );
      if (waitSeconds > 0) return fail('rate_limited', { waitSeconds });
      if (!isRight) refuse('password', 'wrong_password');
    }
    const remove = async () => {
      const problem = await store.otps.remove(await find());
      if (problem === 'off') return fail('otp_not_found');
      return problem === null ? ({ status: 'OK' } as const) : null;
    };
    return retryOnConflict(remove);
  },
});
