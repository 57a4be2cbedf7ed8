import { hashSecret, parseToken } from '#shared/auth/tokens.ts';
import { isOutdated } from '#shared/domain/identity/credential.ts';
import { type Caller, hasPermission } from '#shared/domain/identity/permission.ts';
import type { Account, Session } from '#shared/store/identity/sessions.ts';
import { ApiError } from '../errors.ts';
import { bearerToken, cookie, type Exchange, operationOf, type Rate } from '../http/exchange.ts';
import { extendDisplay } from './display.ts';
import type { Guard } from './guard.ts';
import { checkRate, countAccount, countAnonymous, countDevice, countSessionRead } from './rate-limit.ts';

/** Token use is recorded at most once per interval, so it costs almost nothing per request. */
const USE_INTERVAL_MS = 60_000;

type Identity = Partial<Pick<Exchange, 'caller' | 'device' | 'provisioner' | 'accountKey' | 'sessionHash'>>;
type Found = { identity: Identity | null; rate: Rate | null };

export const isValidSession = (
  { settings, now }: { settings: Pick<Guard['settings'], 'CREDENTIALS_SINCE'>; now: () => number },
  session: Session | null,
  account: Account | null,
): boolean =>
  session !== null &&
  account?.canLogin === true &&
  !isOutdated(session, settings.CREDENTIALS_SINCE) &&
  // An access token survives a password change, because users list and revoke their tokens one by one.
  (session.kind === 'token' || session.epoch === account.epoch) &&
  // A session begun without the required second factor proves no more than the password.
  !(session.mustSetOtp && account.hasOtp) &&
  session.accountId === account.accountId &&
  (session.expires === null || session.expires > now());

/** Returns the caller for a session. The permissions are those the account currently has, limited to the token's. */
const callerOf = (session: Session, account: Account): Caller => {
  const { kind, permissions: scope = null, readOnly = false, name: token } = session;
  const { accountId, customerId, locale, username = null } = account;
  const mustSetOtp = session.mustSetOtp === true;
  const name = username !== null && token !== undefined ? `${username} (${token})` : username;
  const who = { accountId, name, customerId, locale, kind, readOnly, mustSetOtp };
  // Anyone in front of a display can use it, so it never has the user's permissions.
  if (session.display) return { ...who, isDisplay: true, isAdmin: false, permissions: [] };
  if (scope === null) return { ...who, isAdmin: account.isAdmin, permissions: account.permissions };
  // A token limited to some permissions never acts as a system admin, even though system admins hold them all.
  return { ...who, isAdmin: false, permissions: scope.filter((permission) => hasPermission(account, permission)) };
};

/** Reads a session and its account. The result of a lagging read is used only if the session is valid. */
const readLogin = async (
  guard: Guard,
  { sessionHash, accountKey, mayLag }: { sessionHash: string; accountKey: string; mayLag: boolean },
) => {
  const { sessions } = guard.store;
  const read = (lags: boolean) =>
    Promise.all([sessions.session(sessionHash, lags), sessions.account(accountKey, lags)]);
  const [session, account] = await read(mayLag);
  return mayLag && !isValidSession(guard, session, account) ? read(false) : ([session, account] as const);
};

const noteUse = async ({ store, now }: Guard, { kind, lastUsed }: Session, hash: string): Promise<void> => {
  const before = now() - USE_INTERVAL_MS;
  if (kind === 'token' && (lastUsed ?? 0) <= before) await store.accessTokens.recordUse(hash, before, now());
};

// The token contains the account key, so session, account and rate are read in one round trip. An invalid token counts
// only against the caller's address. Otherwise, anyone with an old token could use up the owner's rate limit. Session
// reads are counted in memory, and only once the session has proved valid.
const byToken = async (guard: Guard, token: string, exchange: Exchange): Promise<Found> => {
  const read = parseToken(token);
  if (!read?.accountKey) return { identity: null, rate: null };
  const { accountKey, kind } = read;
  const { method, isFrequent = false } = operationOf(exchange);
  const isSessionRead = kind === 'session' && method === 'GET';
  const { suspects, now } = guard;
  const sessionHash = hashSecret(token);
  const [[session, account], early] = await Promise.all([
    readLogin(guard, { sessionHash, accountKey, mayLag: isSessionRead && isFrequent }),
    isSessionRead || suspects.has(accountKey, now()) ? null : countAccount(guard, accountKey),
  ]);
  if (!session || !account || !isValidSession(guard, session, account)) {
    suspects.add(accountKey, now());
    await early?.giveBack();
    return { identity: null, rate: null };
  }
  const { rate } =
    early ??
    (isSessionRead ? { rate: await countSessionRead(guard, accountKey) } : await countAccount(guard, accountKey));
  await noteUse(guard, session, sessionHash);
  await extendDisplay(guard, exchange, { session, hash: sessionHash, token });
  return { identity: { caller: callerOf(session, account), accountKey, sessionHash }, rate };
};

const byDevice = async (guard: Guard, token: string, exchange: Exchange): Promise<Found> => {
  if (parseToken(token)?.kind !== 'device') return { identity: null, rate: null };
  const hash = hashSecret(token);
  const device = await guard.store.deviceTokens.use(hash, guard.now());
  const rate = device && countDevice(guard, hash, exchange);
  if (!device || (device.replacedUntil !== undefined && !operationOf(exchange).allowsFormerToken))
    return { identity: null, rate: null };
  return { identity: { device: { ...device, isBusy: guard.rates.isBusy(hash, guard.now()) } }, rate };
};

const byProvisioningKey = async (guard: Guard, token: string): Promise<Found> => {
  const key = token === '' ? null : await guard.store.provisioning.byHash(hashSecret(token), guard.now());
  return { identity: key && { provisioner: key }, rate: null };
};

const identify = (guard: Guard, exchange: Exchange): Promise<Found> => {
  const { auth } = operationOf(exchange);
  const token = bearerToken(exchange);
  if (auth === 'device') return byDevice(guard, token ?? '', exchange);
  if (auth === 'provisioner') return byProvisioningKey(guard, token ?? '');
  if (auth === 'anyone') return Promise.resolve({ identity: {}, rate: null });
  // Browsers send cookies automatically, so a cookie counts only if it holds a session, which has a CSRF token. Access
  // tokens have none.
  const fromCookie = cookie(exchange.event, 'PSAUTHTOKEN') ?? '';
  return byToken(guard, token ?? (parseToken(fromCookie)?.kind === 'session' ? fromCookie : ''), exchange);
};

const identified = async (guard: Guard, exchange: Exchange): Promise<Found> => {
  const found = identify(guard, exchange);
  return operationOf(exchange).withoutTable ? found.catch(() => ({ identity: null, rate: null })) : found;
};

/** Uses the caller's language for the response, and replaces `me` in the path. */
const recognise = (exchange: Exchange, { locale, accountId }: Caller): void => {
  exchange.locale = locale;
  if (exchange.path.userId === 'me') exchange.path = { ...exchange.path, userId: String(accountId) };
};

/**
 * Finds the caller and counts the request. If the credentials are missing or invalid, responds with 401, or treats the
 * request as anonymous if login is optional. Such requests count against the address, which gets 429 responses above
 * the limit.
 */
export const authenticate = async (guard: Guard, exchange: Exchange): Promise<void> => {
  const operation = operationOf(exchange);
  const { auth } = operation;
  const { identity, rate } = await identified(guard, exchange);
  const counted = rate ?? (await countAnonymous(guard, exchange));
  Object.assign(exchange, { rate: counted, caller: null, ...identity });
  if (identity?.caller) recognise(exchange, identity.caller);
  if (identity || auth === 'optional' || ('orWebhook' in operation && operation.orWebhook)) return;
  checkRate(exchange);
  throw new ApiError('credentials_invalid');
};
