import type { Call } from '#shared/api/operation.ts';
import type { Passwords } from '#shared/auth/password.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import type { Login } from '#shared/domain/identity/user.ts';
import { usernameKey } from '#shared/domain/identity/username.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Account } from '#shared/store/identity/sessions.ts';
import type { StoreOf } from '#shared/store/store.ts';
import type { auth } from './contract.ts';
import { judgeOtp, type Verdict } from './second-factor.ts';
import { loginThrottle } from './throttle.ts';

/**
 * The key of an account that does not exist. It is looked up for unknown usernames, so that these take the same time.
 */
const NOBODY = 'nobody';

type LookUps = `sessions.${'accountKeyOf' | 'account' | 'passwordHash' | 'isKnownAddress'}`;
/** Finds the account of a username, and whether its user logged in from this address before. */
const lookUp = async ({ sessions }: StoreOf<LookUps>, username: string, address: string) => {
  const accountKey = (await sessions.accountKeyOf(username)) ?? NOBODY;
  const [account, isKnown] = await Promise.all([
    sessions.account(accountKey),
    sessions.isKnownAddress(accountKey, address),
  ]);
  // After the account: if the password changes in between, what the account was read as opens nothing any more.
  const hash = await sessions.passwordHash(accountKey);
  return { accountKey, account, hash, isKnown };
};

type Known = Awaited<ReturnType<typeof lookUp>>;

/** Whom a login is noted as, before and after it succeeds; one with a name of nobody is noted too, in the same time. */
const claimed = ({ account }: Known): [Actor, number] => {
  const id = account && String(account.accountId);
  return [{ kind: 'user', id, name: account?.username ?? null }, account?.customerId ?? UNASSIGNED];
};

/** Gives the account if the password is right and the account may log in. */
const authenticate = async (passwords: Passwords, { account, hash }: Known, { password, id }: Login) => {
  const isRight = await passwords.verify(password, hash);
  const isMeant = id === undefined || id === null || id === account?.accountId;
  return isRight && account?.canLogin && isMeant ? account : null;
};

type Renewing = { store: StoreOf<'sessions.rehash'>; passwords: Passwords };
/** Replaces a hash of an older cost, once the login has succeeded: a refused one changes nothing. */
const renewHash = async ({ store, passwords }: Renewing, { hash, accountKey }: Known, password: string) => {
  if (hash && passwords.isOutdated(hash)) await store.sessions.rehash(accountKey, hash, await passwords.hash(password));
};

type LoggedIn = { accountKey: string; account: Account };
type Refusal = 'credentials_invalid' | 'otp_required';
type Uses = (typeof auth)['operations']['login']['uses'][number];

/**
 * Checks username, password and second factor of a login, and counts what is wrong. It gives the account; or why there
 * is none; or the seconds to wait, after which alone the caller may learn more.
 */
export const logIn = async (
  body: Login,
  address: string,
  { actAs, ...deps }: Deps<Uses> & Pick<Call<(typeof auth)['operations']['login']>, 'actAs'>,
): Promise<LoggedIn | Refusal | number> => {
  const { store, now, passwords, measure } = deps;
  const username = usernameKey(body.username);
  const known = await lookUp(store, username, address);
  actAs(...claimed(known));
  const throttle = loginThrottle(store, { username, address, isKnown: known.isKnown }, now);
  const refused = async (): Promise<Refusal | number> => {
    measure('LoginsFailed');
    return (await throttle.failed()) || 'credentials_invalid';
  };
  const wait = await throttle.before();
  if (wait > 0) return wait;
  const { accountKey } = known;
  const account = await authenticate(passwords, known, body);
  if (!account) return refused();
  const factor: Verdict = await judgeOtp(accountKey, account, body.otp, deps);
  if (factor.is === 'wrong') return refused();
  // A right password alone forgives no failures: otherwise whoever has it could guess codes without an end.
  if (factor.is === 'missing') return (await throttle.before()) || 'otp_required';
  const late = await throttle.succeeded();
  if (late > 0) return late;
  if (!(await factor.use())) return refused();
  await renewHash(deps, known, body.password);
  return { accountKey, account };
};
