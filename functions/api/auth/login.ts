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
import { checkOtp, type OtpCheck } from './second-factor.ts';
import { loginThrottle } from './throttle.ts';

/** A key that no account has. It is looked up for unknown usernames, so that they take as long as known usernames. */
const MISSING_KEY = 'nobody';

type LookUpUses = `sessions.${'accountKeyOf' | 'account' | 'passwordHash' | 'isKnownAddress'}`;
/** Returns the account for a username, and whether the user has logged in from this address before. */
const lookUp = async ({ sessions }: StoreOf<LookUpUses>, username: string, address: string) => {
  const accountKey = (await sessions.accountKeyOf(username)) ?? MISSING_KEY;
  const [account, isKnown] = await Promise.all([
    sessions.account(accountKey),
    sessions.isKnownAddress(accountKey, address),
  ]);
  // Read after the account. If the password changes in between, the account epoch invalidates the new session.
  const hash = await sessions.passwordHash(accountKey);
  return { accountKey, account, hash, isKnown };
};

type Candidate = Awaited<ReturnType<typeof lookUp>>;

/** The audit log actor for a login. Unknown usernames are also logged, which takes the same time. */
const actorOf = ({ account }: Candidate): [Actor, number] => {
  const id = account && String(account.accountId);
  return [{ kind: 'user', id, name: account?.username ?? null }, account?.customerId ?? UNASSIGNED];
};

/** Returns the account if the password is correct and the account may log in. */
const authenticate = async (passwords: Passwords, { account, hash }: Candidate, { password, id }: Login) => {
  const isRight = await passwords.verify(password, hash);
  const isSameUser = id === undefined || id === null || id === account?.accountId;
  return isRight && account?.canLogin && isSameUser ? account : null;
};

type RehashDeps = { store: StoreOf<'sessions.rehash'>; passwords: Passwords };
/** Rehashes the password after a successful login if the hash has an outdated cost. */
const renewHash = async ({ store, passwords }: RehashDeps, { hash, accountKey }: Candidate, password: string) => {
  if (hash && passwords.isOutdated(hash)) await store.sessions.rehash(accountKey, hash, await passwords.hash(password));
};

type LoggedIn = { accountKey: string; account: Account };
type Refusal = 'credentials_invalid' | 'otp_required';
type Uses = (typeof auth)['operations']['login']['uses'][number];

/**
 * Checks the username, password and second factor, and counts failures. Returns the account, the reason for the
 * refusal, or the number of seconds the caller must wait.
 */
export const logIn = async (
  body: Login,
  address: string,
  { actAs, ...deps }: Deps<Uses> & Pick<Call<(typeof auth)['operations']['login']>, 'actAs'>,
): Promise<LoggedIn | Refusal | number> => {
  const { store, now, passwords, measure } = deps;
  const username = usernameKey(body.username);
  const candidate = await lookUp(store, username, address);
  actAs(...actorOf(candidate));
  const throttle = loginThrottle(store, { username, address, isKnown: candidate.isKnown }, now);
  const refused = async (): Promise<Refusal | number> => {
    measure('LoginsFailed');
    return (await throttle.failed()) || 'credentials_invalid';
  };
  const wait = await throttle.before();
  if (wait > 0) return wait;
  const { accountKey } = candidate;
  const account = await authenticate(passwords, candidate, body);
  if (!account) return refused();
  const otp: OtpCheck = await checkOtp(accountKey, account, body.otp, deps);
  if (otp.is === 'wrong') return refused();
  // A correct password alone does not reset the count. Otherwise, anyone with the password could guess codes forever.
  if (otp.is === 'missing') return (await throttle.before()) || 'otp_required';
  const lateWait = await throttle.succeeded();
  if (lateWait > 0) return lateWait;
  if (!(await otp.use())) return refused();
  await renewHash(deps, candidate, body.password);
  return { accountKey, account };
};
