import { expiredCookies, SESSION_SECONDS, sessionCookies } from '../../../shared/api/cookies.ts';
import { Reply } from '../../../shared/api/operation.ts';
import { serve } from '../../../shared/api/serve.ts';
import { isCommonPassword } from '../../../shared/auth/common-passwords.ts';
import type { Passwords } from '../../../shared/auth/password.ts';
import { drawToken, hashOf } from '../../../shared/auth/tokens.ts';
import type { Actor } from '../../../shared/domain/audit.ts';
import type { Login } from '../../../shared/domain/user.ts';
import { usernameKey } from '../../../shared/domain/username.ts';
import type { StoreOf } from '../../../shared/store/store.ts';
import { auth } from './contract.ts';
import { confirmReset, requestReset } from './reset.ts';
import { countAddress, loginThrottle, secondsOfAddress } from './throttle.ts';

/**
 * The key of an account that does not exist. It is looked up for unknown usernames, so that these take the same time.
 */
const NOBODY = 'nobody';

type LookUps = `sessions.${'accountKeyOf' | 'account' | 'passwordHash' | 'isKnownAddress'}`;
/** Finds the account of a username, and whether its user logged in from this address before. */
const lookUp = async ({ sessions }: StoreOf<LookUps>, username: string, address: string) => {
  const accountKey = (await sessions.accountKeyOf(username)) ?? NOBODY;
  const [account, hash, isKnown] = await Promise.all([
    sessions.account(accountKey),
    sessions.passwordHash(accountKey),
    sessions.isKnownAddress(accountKey, address),
  ]);
  return { accountKey, account, hash, isKnown };
};

type Known = Awaited<ReturnType<typeof lookUp>>;

/** Whom a login is noted as, before and after it succeeds; one with a name of nobody is noted too, in the same time. */
const claimed = ({ account }: Known, username: string): [Actor, number] => {
  const id = account && String(account.accountId);
  return [{ kind: 'user', id, name: account && username }, account?.customerId ?? 0];
};

/** Gives the account if the password is right and the account may log in. A hash of an older cost is replaced. */
const authenticate = async (
  { store: { sessions }, passwords }: { store: StoreOf<'sessions.rehash'>; passwords: Passwords },
  { account, hash, accountKey }: Known,
  { password, id }: Login,
) => {
  const isRight = await passwords.verify(password, hash);
  const isMeant = id === undefined || id === null || id === account?.accountId;
  if (!isRight || !account?.canLogin || !isMeant) return null;
  if (hash && passwords.isOutdated(hash)) await sessions.rehash(accountKey, hash, await passwords.hash(password));
  return account;
};

export const handler = serve(auth, {
  login: async ({ body, address, fail, event, actAs }, { store, now, random, passwords, measure }) => {
    const username = usernameKey(body.username);
    const known = await lookUp(store, username, address);
    actAs(...claimed(known, body.username));
    const throttle = loginThrottle(store, { username, address, isKnown: known.isKnown }, now);
    const wait = await throttle.before();
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const account = await authenticate({ store, passwords }, known, body);
    if (!account) measure('LoginsFailed');
    const late = account ? await throttle.succeeded() : await throttle.failed();
    if (late > 0) return fail('rate_limited', { waitSeconds: late });
    if (!account) return fail('credentials_invalid');

    const { accountKey } = known;
    const { accountId, customerId, epoch } = account;
    const token = drawToken('session', random, accountKey);
    const csrf = Buffer.from(random(24)).toString('base64url');
    const createDate = now();
    const expires = createDate + SESSION_SECONDS * 1_000;
    const [user] = await Promise.all([
      store.users.get(customerId, accountId),
      store.sessions.start(hashOf(token), { kind: 'session', accountId, epoch, csrf, createDate, expires }),
      store.sessions.rememberAddress(accountKey, address, now()),
    ]);
    if (!user) return fail('credentials_invalid');
    return new Reply(user, { headers: { Token: token }, cookies: sessionCookies(event, token, accountId, csrf) });
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
    // Users who can read the mail of the account can log in from this address, even while other addresses guess its
    // password.
    await store.sessions.rememberAddress(accountKey, address, now());
    return { status: 'OK' };
  },

  logout: async ({ sessionHash, event }, { store }) => {
    await store.sessions.end(sessionHash);
    return new Reply({ status: 'OK' }, { cookies: expiredCookies(event) });
  },
});
