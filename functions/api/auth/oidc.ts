import { type APIGatewayProxyEvent, cookie, header } from '#shared/api/http/exchange.ts';
import { type Call, Reply } from '#shared/api/operation.ts';
import { createIssuer, type Issuer, type OidcIdentity, type Prompt } from '#shared/auth/oidc.ts';
import { hashSecret, newAccountKey, secretsEqual } from '#shared/auth/tokens.ts';
import { BASE_PATH } from '#shared/domain/base-path.ts';
import type { Actor } from '#shared/domain/identity/audit.ts';
import { accessOf, parseRules, profileOf } from '#shared/domain/identity/claims.ts';
import { DEFAULT_LOCALE } from '#shared/domain/identity/language.ts';
import { SESSION_SECONDS } from '#shared/domain/identity/session-life.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import { UNASSIGNED } from '#shared/domain/unassigned.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { UserItem } from '#shared/store/identity/users.ts';
import type { auth } from './contract.ts';
import { startSession } from './start-session.ts';

type Operations = (typeof auth)['operations'];
type BeginDeps = Deps<Operations['beginOidc']['uses'][number]>;
type FinishDeps = Deps<Operations['finishOidc']['uses'][number]>;

/** How long (s) a login with the issuer may take. */
const LOGIN_SECONDS = 600;
/** Binds a login to the browser where it began. Browsers send it only from this service's pages. */
const COOKIE_NAME = 'PSOIDC';

const cookieOf = (event: APIGatewayProxyEvent, value: string, seconds: number): string => {
  const secure = header(event, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  return `${COOKIE_NAME}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
};

/**
 * The URL of the console page that the issuer sends browsers back to. It is normalized because issuers compare it as
 * text.
 */
const redirectUri = (publicUrl: string): string => new URL(`${publicUrl}${BASE_PATH}/console/login/oidc`).href;

const issuers = new WeakMap<BeginDeps['settings'], Issuer>();
/** Returns the issuer for these settings. Its metadata is cached for at most an hour. */
const issuerIn = ({ settings, now }: Pick<BeginDeps, 'settings' | 'now'>): Issuer => {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings;
  const known =
    issuers.get(settings) ?? createIssuer({ issuer, clientId, clientSecret, scopes: settings.OIDC_SCOPES }, now);
  issuers.set(settings, known);
  return known;
};

/** Begins a login with the issuer. Returns the URL to send the browser to, and a cookie for the browser. */
export const beginLogin = async (event: APIGatewayProxyEvent, prompt: Prompt, deps: BeginDeps) => {
  const { store, settings, now, random } = deps;
  const randomText = () => Buffer.from(random(32)).toString('base64url');
  const secrets = { state: randomText(), nonce: randomText(), verifier: randomText() };
  const browser = randomText();
  const url = await issuerIn(deps).authorize(secrets, redirectUri(settings.PUBLIC_URL), prompt);
  const { state, nonce, verifier } = secrets;
  const expires = now() + LOGIN_SECONDS * 1_000;
  await store.externals.startLogin(hashSecret(state), { browser: hashSecret(browser), nonce, verifier, expires });
  return { url, cookie: cookieOf(event, browser, LOGIN_SECONDS) };
};

/**
 * Returns the person who logged in with the issuer, based on the query the browser came back with. Each query works
 * only once.
 */
export const identityOf = async (
  query: string,
  event: APIGatewayProxyEvent,
  deps: FinishDeps,
): Promise<OidcIdentity | null> => {
  const { store, settings, now, log } = deps;
  const callback = new URL(redirectUri(settings.PUBLIC_URL));
  callback.search = query;
  const state = callback.searchParams.get('state') ?? '';
  const login = await store.externals.completeLogin(hashSecret(state));
  const browser = cookie(event, COOKIE_NAME) ?? '';
  if (!login || login.expires <= now() || !secretsEqual(hashSecret(browser), login.browser)) return null;
  const secrets = { state, nonce: login.nonce, verifier: login.verifier };
  return issuerIn(deps).redeem(callback, secrets, (reason) => log('warn', 'the issuer rejected a login', { reason }));
};

type AuditedCall = Pick<Call<Operations['finishOidc']>, 'actAs'>;
/** The user as an audit log actor. */
const actorOf = ({ id, username, customerId }: Pick<UserItem, 'id' | 'username' | 'customerId'>): [Actor, number] => [
  { kind: 'user', id: String(id), name: username },
  customerId ?? UNASSIGNED,
];

type Access = NonNullable<ReturnType<typeof accessOf>>;
type OidcUserResult = { user: UserItem } | { refused: 'oidc_refused' | 'limit_reached' };
const refused: OidcUserResult = { refused: 'oidc_refused' };

const createUser = async (
  { claims }: OidcIdentity,
  access: Access,
  subject: string,
  { store, quotas, random, now, actAs }: FinishDeps & AuditedCall,
): Promise<OidcUserResult | null> => {
  const accountKey = newAccountKey(random);
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
  // The username may belong to a user with a password, or to the same person at another customer.
  const uniqueName = `${[...username].slice(0, 50).join('')}.${Buffer.from(random(9)).toString('base64url')}`;
  for (const name of [username, uniqueName]) {
    const named = { ...user, username: name };
    actAs(...actorOf(named));
    const problem = await store.users.createExternal(named, accountKey, subject, quotas.users);
    if (problem === null) return { user: { ...named, accountKey, subject } };
    if (problem !== 'username_taken') return { refused: problem === 'limit_reached' ? problem : 'oidc_refused' };
  }
  return null;
};

/** The access that the claims now grant a user, and whether the user loses any previous access. */
const accessChange = (user: UserItem, access: Access | null) => {
  const hadAccess = user.canLogin || user.lostAccess === true;
  const isOwn = access !== null && user.customerId === access.customerId;
  const { permissions, isAdmin } = isOwn ? access : { permissions: [], isAdmin: false };
  return { next: { permissions, isAdmin, canLogin: isOwn && hadAccess }, isLost: !isOwn && hadAccess, isOwn };
};
type AccessChange = ReturnType<typeof accessChange>;

const isSame = (user: UserItem, { next, isLost }: AccessChange): boolean =>
  user.canLogin === next.canLogin &&
  user.isAdmin === next.isAdmin &&
  (user.lostAccess === true) === isLost &&
  user.permissions.toSorted().join() === next.permissions.toSorted().join();

/**
 * Returns all users with the given subject. Those who may log in come last, because the last one is logged as the
 * actor.
 */
const usersOf = async (subject: string, { store }: FinishDeps): Promise<UserItem[]> => {
  const known = await store.externals.usersOf(subject);
  const users = await Promise.all(known.map(({ customerId, userId }) => store.users.get(customerId, userId)));
  return users.flatMap((user) => user ?? []).toSorted((a, b) => Number(a.canLogin) - Number(b.canLogin));
};

/**
 * Returns the user for an identity, with the permissions that the claims now grant. Creates the user if necessary. A
 * user without permissions is logged out and can no longer log in. Returns null if a concurrent request changed the
 * same users. The caller should then retry.
 */
export const userOf = async (
  identity: OidcIdentity,
  deps: FinishDeps & AuditedCall,
): Promise<OidcUserResult | null> => {
  const { store, settings, now } = deps;
  const access = accessOf(identity.claims, parseRules(settings.OIDC_RULES));
  const subject = hashSecret(JSON.stringify([identity.issuer, identity.subject]));
  let own: UserItem | null = null;
  for (const user of await usersOf(subject, deps)) {
    const change = accessChange(user, access);
    deps.actAs(...actorOf(user));
    if (!isSame(user, change) && !(await store.users.setAccess(user, change.next, now(), change.isLost))) return null;
    if (change.isOwn) own = { ...user, ...change.next };
  }
  if (own) deps.actAs(...actorOf(own));
  if (own) return own.canLogin ? { user: own } : refused;
  return access ? createUser(identity, access, subject, deps) : refused;
};

/**
 * The time (ms) when the issuer authenticated the user, or 0 if the issuer did not report it. After `prompt=login`, it
 * must be reported. The user can remove that parameter from the URL, so only `auth_time` proves that the issuer honored
 * it.
 */
const authDateOf = ({ auth_time: seconds }: OidcIdentity['claims'], now: number): number =>
  typeof seconds === 'number' ? Math.min(seconds * 1_000, now) : 0;

/**
 * Starts a session for a user who logged in with the issuer. The second factor is left to the issuer. Returns null if
 * the user was deleted or can no longer log in.
 */
export const startExternal = async (
  { idToken, claims }: OidcIdentity,
  { accountKey }: UserItem,
  request: { event: APIGatewayProxyEvent; address: string },
  deps: FinishDeps,
) => {
  const { store, now } = deps;
  const account = await store.sessions.account(accountKey);
  const login = { accountKey, mustSetOtp: false, authDate: authDateOf(claims, now()) };
  const reply = account?.canLogin && (await startSession({ account, ...login }, request, deps));
  if (!reply) return null;
  const { headers = {}, cookies = [] } = reply.init;
  await store.externals.keepIdToken(hashSecret(headers.Token ?? ''), idToken, now() + SESSION_SECONDS * 1_000);
  return new Reply(reply.body, { headers, cookies: [...cookies, cookieOf(request.event, '', 0)] });
};

type LogoutDeps = Deps<Operations['logout']['uses'][number]>;
/** Returns the URL that also logs the browser out of the issuer, or null if the session did not begin there. */
export const logoutUrl = async (hash: string, deps: LogoutDeps): Promise<string | null> => {
  const { store, settings, log } = deps;
  const idToken = await store.externals.idToken(hash);
  if (idToken === null) return null;
  const home = `${settings.PUBLIC_URL}${BASE_PATH}/console`;
  return issuerIn(deps)
    .endSession(idToken, home)
    .catch((error: unknown) => {
      // The local session has already ended.
      log('warn', 'a session ended here, but not with the issuer', {}, error);
      return null;
    });
};
