import { expiredCookies, SESSION_SECONDS, sessionCookies } from '../../shared/api/cookies.ts';
import { Reply } from '../../shared/api/operation.ts';
import { serve } from '../../shared/api/serve.ts';
import { hashPassword, isOutdated, verifyPassword } from '../../shared/auth/password.ts';
import { drawToken, hashOf } from '../../shared/auth/tokens.ts';
import { type Login, usernameKey } from '../../shared/domain/user.ts';
import type { Store } from '../../shared/store/store.ts';
import { auth } from './contract.ts';

const WINDOW_SECONDS = 15 * 60;
/** Failed logins in 15 minutes: of an account from one address, and from one address in all. */
const MOST = { account: 10, address: 100 } as const;

const subjectsOf = (username: string, address: string) =>
  [
    { subject: `login:${username}:${address}`, most: MOST.account },
    { subject: `login:${address}`, most: MOST.address },
  ] as const;

/** Seconds until a login of that name from that address is looked at; 0: now. */
const secondsToWait = async ({ limits }: Store, username: string, address: string, now: number): Promise<number> => {
  const waits = subjectsOf(username, address).map(({ subject, most }) =>
    limits.secondsToWait(subject, most, WINDOW_SECONDS, now),
  );
  return Math.max(...(await Promise.all(waits)));
};

/** Counts a failed login; gives the seconds to wait when it was one too many, else 0. */
const countFailure = async ({ limits }: Store, username: string, address: string, now: number): Promise<number> => {
  const counts = subjectsOf(username, address).map(async ({ subject, most }) => {
    const { count, seconds } = await limits.countFailure(subject, WINDOW_SECONDS, now);
    return count > most ? seconds : 0;
  });
  return Math.max(...(await Promise.all(counts)));
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

type Known = Awaited<ReturnType<typeof lookUp>>;

/** The account, when the password is its own and it may log in. A hash of an older cost is made anew. */
const authenticate = async ({ sessions }: Store, { account, hash, accountKey }: Known, { password, id }: Login) => {
  const isRight = await verifyPassword(password, hash);
  const isMeant = id === undefined || id === null || id === account?.accountId;
  if (!isRight || !account?.canLogin || !isMeant) return null;
  if (hash && isOutdated(hash)) await sessions.rehash(accountKey, hash, await hashPassword(password));
  return account;
};

export const handler = serve(auth, {
  login: async ({ body, address, fail, event }, { store, now, random }) => {
    const username = usernameKey(body.username);
    const known = await lookUp(store, username, address);
    const wait = known.isKnown ? 0 : await secondsToWait(store, username, address, now());
    if (wait > 0) return fail('rate_limited', { waitSeconds: wait });
    const account = await authenticate(store, known, body);
    if (!account) {
      const seconds = known.isKnown ? 0 : await countFailure(store, username, address, now());
      return seconds > 0 ? fail('rate_limited', { waitSeconds: seconds }) : fail('credentials_invalid');
    }

    const { accountKey } = known;
    const { accountId, customerId, epoch } = account;
    const token = drawToken('session', random, accountKey);
    const csrf = Buffer.from(random(24)).toString('base64url');
    const expires = now() + SESSION_SECONDS * 1_000;
    const [user] = await Promise.all([
      store.users.get(customerId, accountId),
      store.sessions.start(hashOf(token), { kind: 'session', accountId, epoch, csrf, expires }),
      store.sessions.rememberAddress(accountKey, address, now()),
    ]);
    if (!user) return fail('credentials_invalid');
    return new Reply(user, { headers: { Token: token }, cookies: sessionCookies(event, token, accountId, csrf) });
  },

  logout: async ({ sessionHash, event }, { store }) => {
    await store.sessions.end(sessionHash);
    return new Reply({ status: 'OK' }, { cookies: expiredCookies(event) });
  },
});
