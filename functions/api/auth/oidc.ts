import { SESSION_SECONDS } from '#shared/api/http/cookies.ts';
import { type APIGatewayProxyEvent, cookie, header } from '#shared/api/http/exchange.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { type Identity, type Issuer, issuerOf, type Prompt } from '#shared/auth/oidc.ts';
import { drawAccountKey, hashOf, sameSecret } from '#shared/auth/tokens.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import { accessOf, profileOf, readRules } from '#shared/domain/identity/claims.ts';
import { DEFAULT_LOCALE } from '#shared/domain/identity/locale.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import type { auth } from './contract.ts';
import { startSession } from './start-session.ts';

type Operations = (typeof auth)['operations'];
type Beginning = Deps<Operations['beginOidc']['uses'][number]>;
type Finishing = Deps<Operations['finishOidc']['uses'][number]>;

/** How long (s) somebody may take to log in at the issuer. */
const SECONDS = 600;
/** Binds a login to the browser that began it. Only pages of this service send it. */
const COOKIE = 'PSOIDC';

const cookieOf = (event: APIGatewayProxyEvent, value: string, seconds: number): string => {
  const secure = header(event, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
};

/** The page of the console that the issuer sends browsers back to, in the form that is compared. */
const redirectUri = (publicUrl: string): string => new URL(`${publicUrl}${BASE_PATH}/console/login/oidc`).href;

const issuers = new WeakMap<Beginning['settings'], Issuer>();
/** Gives the issuer of these settings. What it says of itself is known until the process ends, or for an hour. */
const issuerIn = ({ settings, now }: Pick<Beginning, 'settings' | 'now'>): Issuer => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings;
  const known =
    issuers.get(settings) ?? issuerOf({ issuer, clientId, clientSecret, scopes: settings.OIDC_SCOPES }, now);
  issuers.set(settings, known);
  return known;
};

/** Begins a login at the issuer: gives the address there, and the cookie of the browser. */
export const beginLogin = async (event: APIGatewayProxyEvent, prompt: Prompt, deps: Beginning) => {
  const { store, settings, now, random } = deps;
  const draw = () => Buffer.from(random(32)).toString('base64url');
  const secrets = { state: draw(), nonce: draw(), verifier: draw() };
  const browser = draw();
  const url = await issuerIn(deps).authorize(secrets, redirectUri(settings.PUBLIC_URL), prompt);
  const { state, nonce, verifier } = secrets;
  const expires = now() + SECONDS * 1_000;
  await store.externals.begin(hashOf(state), { browser: hashOf(browser), nonce, verifier, expires });
  return { url, cookie: cookieOf(event, browser, SECONDS) };
};

/** Gives who logged in at the issuer, by the query that the browser came back with. Its state is void afterwards. */
export const identityOf = async (
  query: string,
  event: APIGatewayProxyEvent,
  deps: Finishing,
): Promise<Identity | null> => {
  const { store, settings, now, log } = deps;
  const answer = new URL(redirectUri(settings.PUBLIC_URL));
  answer.search = query;
  const state = answer.searchParams.get('state') ?? '';
  const login = await store.externals.take(hashOf(state));
  const browser = cookie(event, COOKIE) ?? '';
  if (!login || login.expires <= now() || !sameSecret(hashOf(browser), login.browser)) return null;
  const secrets = { state, nonce: login.nonce, verifier: login.verifier };
  return issuerIn(deps).redeem(answer, secrets, (reason) => log('warn', 'the issuer logged nobody in', { reason }));
};

/** Whom what follows is noted as in the audit. */
type Acting = Pick<Call<Operations['finishOidc']>, 'actAs'>;
const asUser = ({ id, username, customerId }: Pick<UserItem, 'id' | 'username' | 'customerId'>): [Actor, number] => [
  { kind: 'user', id: String(id), name: username },
  customerId ?? UNASSIGNED,
];

type Access = NonNullable<ReturnType<typeof accessOf>>;
type OidcUserResult = { user: UserItem } | { refused: 'oidc_refused' | 'limit_reached' };
const refused: OidcUserResult = { refused: 'oidc_refused' };

const create = async (
  { claims }: Identity,
  access: Access,
  subject: string,
  { store, quotas, random, now, actAs }: Finishing & Acting,
): Promise<OidcUserResult | null> => {
  const accountKey = drawAccountKey(random);
  const { username, ...profile } = profileOf(claims);
  const id = await store.limits.nextNumber('accounts');
  const time = now();
  const user = {
    id,
    createDate: time,
    updateDate: time,
    ...access,
    ...profile,
    profileImageId: randomUuid(random),
    locale: DEFAULT_LOCALE,
    telegramId: null,
    mobileNumber: null,
    canLogin: true,
  };
  // Somebody else may have that name, by a password, or this person at any number of other customers.
  const other = `${[...username].slice(0, 50).join('')}.${Buffer.from(random(9)).toString('base64url')}`;
  for (const name of [username, other]) {
    const named = { ...user, username: name };
    actAs(...asUser(named));
    const problem = await store.users.createExternal(named, accountKey, subject, quotas.users);
    if (problem === null) return { user: { ...named, accountKey, subject } };
    if (problem !== 'username_taken') return { refused: problem === 'limit_reached' ? problem : 'oidc_refused' };
  }
  return null;
};

/** What a user of somebody may do now, and whether it may log in no more because the issuer says nothing that lets it. */
const followed = (user: UserItem, access: Access | null) => {
  const wasLetIn = user.canLogin || user.lostAccess === true;
  const isOwn = access !== null && user.customerId === access.customerId;
  const { permissions, isAdmin } = isOwn ? access : { permissions: [], isAdmin: false };
  return { next: { permissions, isAdmin, canLogin: isOwn && wasLetIn }, isLost: !isOwn && wasLetIn, isOwn };
};
type Followed = ReturnType<typeof followed>;

const isSame = (user: UserItem, { next, isLost }: Followed): boolean =>
  user.canLogin === next.canLogin &&
  user.isAdmin === next.isAdmin &&
  (user.lostAccess === true) === isLost &&
  user.permissions.toSorted().join() === next.permissions.toSorted().join();

/** Gives the users of somebody. Who may log in comes last: as that one a refusal is noted. */
const usersOf = async (subject: string, { store }: Finishing): Promise<UserItem[]> => {
  const known = await store.externals.usersOf(subject);
  const users = await Promise.all(known.map(({ customerId, userId }) => store.users.get(customerId, userId)));
  return users.flatMap((user) => user ?? []).toSorted((a, b) => Number(a.canLogin) - Number(b.canLogin));
};

/**
 * Finds the user of somebody whom the issuer knows, or makes one, with the rights that the claims give now. Whoever has
 * none any more can log in no more, and is logged out. Null: somebody else changed the same users; try again.
 */
export const userOf = async (identity: Identity, deps: Finishing & Acting): Promise<OidcUserResult | null> => {
  const { store, settings, now } = deps;
  const access = accessOf(identity.claims, readRules(settings.OIDC_RULES));
  const subject = hashOf(JSON.stringify([identity.issuer, identity.subject]));
  let own: UserItem | null = null;
  for (const user of await usersOf(subject, deps)) {
    const change = followed(user, access);
    deps.actAs(...asUser(user));
    if (!isSame(user, change) && !(await store.users.setAccess(user, change.next, now(), change.isLost))) return null;
    if (change.isOwn) own = { ...user, ...change.next };
  }
  if (own) deps.actAs(...asUser(own));
  if (own) return own.canLogin ? { user: own } : refused;
  return access ? create(identity, access, subject, deps) : refused;
};

/**
 * When (ms) the issuer asked who that is; 0 if it does not say, although it must when it was to ask again: without
 * auth_time nobody knows that it did, because whoever is at the browser can change the address that leads there.
 */
const authDateOf = ({ auth_time: seconds }: Identity['claims'], now: number): number =>
  typeof seconds === 'number' ? Math.min(seconds * 1_000, now) : 0;

/**
 * Starts a session of a user of the issuer, which is asked for a second factor there and not here. Null: the user is gone, or
 * may log in no more by now.
 */
export const startExternal = async (
  { idToken, claims }: Identity,
  { accountKey }: UserItem,
  request: { event: APIGatewayProxyEvent; address: string },
  deps: Finishing,
) => {
  const { store, now } = deps;
  const account = await store.sessions.account(accountKey);
  const who = { accountKey, mustSetOtp: false, authDate: authDateOf(claims, now()) };
  const reply = account?.canLogin && (await startSession({ account, ...who }, request, deps));
  if (!reply) return null;
  const { headers = {}, cookies = [] } = reply.more;
  await store.externals.keepIdToken(hashOf(headers.Token ?? ''), idToken, now() + SESSION_SECONDS * 1_000);
  return new Reply(reply.body, { headers, cookies: [...cookies, cookieOf(request.event, '', 0)] });
};

type Ending = Deps<Operations['logout']['uses'][number]>;
/** Gives the address where a browser logs out of the issuer too; null if the session did not begin there. */
export const logoutUrl = async (hash: string, deps: Ending): Promise<string | null> => {
  const { store, settings, log } = deps;
  const idToken = await store.externals.idToken(hash);
  if (idToken === null) return null;
  const home = `${settings.PUBLIC_URL}${BASE_PATH}/console`;
  return issuerIn(deps)
    .endSession(idToken, home)
    .catch((error: unknown) => {
      // The session here is over already.
      log('warn', 'a session ended here, but not at the issuer', {}, error);
      return null;
    });
};
