import { expiredCookies, SESSION_SECONDS, sessionCookies } from '../../shared/api/cookies.ts';
import { Reply } from '../../shared/api/operation.ts';
import { serve } from '../../shared/api/serve.ts';
import { verifyPassword } from '../../shared/auth/password.ts';
import { drawToken, hashOf } from '../../shared/auth/tokens.ts';
import { usernameKey } from '../../shared/domain/user.ts';
import type { Store } from '../../shared/store/store.ts';
import { auth } from './contract.ts';

const WINDOW_SECONDS = 15 * 60;
/** Failed logins in 15 minutes: of an account from one address, and from one address in all. */
const MOST = { account: 10, address: 100 } as const;

/**
 * Counts a login before its password is looked at, so that tries at the same time can't get past the limit.
 * Gives what takes the count back after a success, or null when the limit is reached.
 */
const admit = async ({ limits }: Store, username: string, address: string, now: number) => {
  const subjects = [`login:${username}:${address}`, `login:${address}`] as const;
  const [ofAccount, ofAddress] = await Promise.all(subjects.map((one) => limits.countTry(one, WINDOW_SECONDS, now)));
  if ((ofAccount ?? 0) > MOST.account || (ofAddress ?? 0) > MOST.address) return null;
  return () => Promise.all(subjects.map((one) => limits.forgiveTry(one)));
};

/** The key of nobody: what is looked up for a name that nobody has, so that it takes as long. */
const NOBODY = 'nobody';

/** Who has that name, and whether that address logged in as it before. */
const lookUp = async ({ sessions }: Store, username: string, address: string) => {
  const accountKey = (await sessions.accountKeyOf(username)) ?? NOBODY;
  const [account, hash, isKnown] = await Promise.all([
    sessions.account(accountKey),
    sessions.passwordHash(accountKey),
    sessions.isKnownAddress(accountKey, address),
  ]);
  return { accountKey, account, hash, isKnown };
};

export const handler = serve(auth, {
  login: async ({ body, address, fail, event }, { store, now, random }) => {
    const username = usernameKey(body.username);
    const { accountKey, account, hash, isKnown } = await lookUp(store, username, address);
    const forgive = isKnown ? async () => {} : await admit(store, username, address, now());
    if (!forgive) return fail('rate_limited', { waitSeconds: WINDOW_SECONDS });
    const isRight = await verifyPassword(body.password, hash);
    const isMeant = body.id === undefined || body.id === null || body.id === account?.accountId;
    if (!isRight || !account?.canLogin || !isMeant) return fail('credentials_invalid');

    const { accountId, customerId, epoch } = account;
    const token = drawToken('session', random, accountKey);
    const csrf = Buffer.from(random(24)).toString('base64url');
    const expires = now() + SESSION_SECONDS * 1_000;
    const [user] = await Promise.all([
      store.users.get(customerId, accountId),
      store.sessions.start(hashOf(token), { kind: 'session', accountId, epoch, csrf, expires }),
      store.sessions.rememberAddress(accountKey, address, now()),
      forgive(),
    ]);
    if (!user) return fail('credentials_invalid');
    return new Reply(user, { headers: { Token: token }, cookies: sessionCookies(event, token, accountId, csrf) });
  },

  logout: async ({ sessionHash, event }, { store }) => {
    await store.sessions.end(sessionHash);
    return new Reply({ status: 'OK' }, { cookies: expiredCookies(event) });
  },
});
