import { hashOf, readToken, sameSecret } from '../../auth/tokens.ts';
import { type Caller, holds, type Permission } from '../../domain/permission.ts';
import type { Settings } from '../../env.ts';
import type { Account, Session } from '../../store/sessions.ts';
import type { StoreOf } from '../../store/store.ts';
import { addressOf } from '../address.ts';
import { expiredCookies } from '../cookies.ts';
import { type DeviceRates, deviceLimits, isOver } from '../device-rates.ts';
import { ApiError, refuse } from '../errors.ts';
import { type ApiRequest, cookie, type Exchange, header, headerValues, operationOf, type Rate } from '../exchange.ts';
import type { GuardCall } from '../guard-calls.ts';
import type { Operation } from '../operation.ts';
import type { Suspects } from '../suspects.ts';
import { messagesOf } from './input.ts';

/**
 * How many calls per second an address may make to published operations, besides its other calls: enough to load a page
 * with its files, and to load it again.
 */
const PUBLISHED_CALLS = 10;
/** The use of a token is written at most once in this time (ms), so that it costs almost nothing per call. */
const NOTED_EVERY = 60_000;

export type Guard = {
  store: StoreOf<GuardCall>;
  settings: Settings;
  now: () => number;
  rates: DeviceRates;
  suspects: Suspects;
};
type Identity = Partial<Pick<Exchange, 'caller' | 'device' | 'provisioner' | 'accountKey' | 'sessionHash'>>;
type Found = { identity: Identity | null; rate: Rate | null };

const count = async (
  { store, settings, now }: Guard,
  subject: string,
  most = settings.RATE_LIMIT_PER_SECOND,
  time = now(),
): Promise<Rate & { over: boolean }> => {
  if (settings.RATE_LIMIT_PER_SECOND === 0) return { limit: 0, remaining: 0, reset: 0, over: false };
  const calls = await store.limits.countCall(subject, time);
  return { limit: most, remaining: Math.max(0, most - calls), reset: 1, over: calls > most };
};

const isLive = (session: Session | null, account: Account | null, now: number): boolean =>
  session !== null &&
  account?.canLogin === true &&
  // An access token is no login: it outlives a change of the password, and is listed and deleted one by one.
  (session.kind === 'token' || session.epoch === account.epoch) &&
  session.accountId === account.accountId &&
  (session.expires === null || session.expires > now);

/** Gives the caller of a session with the current rights of the account, limited by the permissions of the token. */
const callerOf = ({ kind, permissions: scope = null, readOnly = false }: Session, account: Account): Caller => {
  const { accountId, customerId, locale } = account;
  const who = { accountId, customerId, locale, kind, readOnly };
  if (scope === null) return { ...who, isAdmin: account.isAdmin, permissions: account.permissions };
  // A token limited to some permissions never acts as system admin, although a system admin holds every permission.
  return { ...who, isAdmin: false, permissions: scope.filter((one) => holds(account, one)) };
};

const bearer = ({ event }: ApiRequest): string | undefined => {
  const value = header(event, 'authorization');
  return value === undefined ? undefined : (/^Bearer (\S(?:.{0,1022}\S)?)$/i.exec(value)?.[1] ?? '');
};

const noteUse = async ({ store, now }: Guard, { kind, lastUsed }: Session, hash: string): Promise<void> => {
  const before = now() - NOTED_EVERY;
  if (kind === 'token' && (lastUsed ?? 0) <= before) await store.accessTokens.noteUse(hash, before, now());
};

/** Counts a call of an account. `giveBack` undoes that if the call turns out not to be the account's. */
const countAccount = async (guard: Guard, accountKey: string) => {
  const [subject, time] = [`account:${accountKey}`, guard.now()];
  const rate = await count(guard, subject, undefined, time);
  const giveBack = async () => rate.limit > 0 && guard.store.limits.countCall(subject, time, -1);
  return { rate, giveBack };
};

// The token contains the key of the account, so session, account and rate are read in one round trip. An invalid token
// counts against the caller's address only: otherwise anybody with an old token could use up the rate of its owner.
const byToken = async (guard: Guard, token: string): Promise<Found> => {
  const read = readToken(token);
  if (!read?.accountKey) return { identity: null, rate: null };
  const { accountKey } = read;
  const { suspects, now } = guard;
  const { sessions } = guard.store;
  const sessionHash = hashOf(token);
  const [session, account, early] = await Promise.all([
    sessions.session(sessionHash),
    sessions.account(accountKey),
    suspects.has(accountKey, now()) ? null : countAccount(guard, accountKey),
  ]);
  if (!session || !account || !isLive(session, account, now())) {
    suspects.add(accountKey, now());
    await early?.giveBack();
    return { identity: null, rate: null };
  }
  const { rate } = early ?? (await countAccount(guard, accountKey));
  await noteUse(guard, session, sessionHash);
  return { identity: { caller: callerOf(session, account), accountKey, sessionHash }, rate };
};

/** Counts a call of a device and its messages. A limit of 0 is not enforced. */
const countDevice = (
  { settings, rates, now }: Guard,
  subject: string,
  request: ApiRequest,
): Rate & { over: boolean } => {
  const isMessages = operationOf(request).bodyKind === 'messages';
  const { calls: limit, messages } = deviceLimits(settings);
  const counted = rates.count(subject, isMessages ? messagesOf(request) : 0, now());
  const over = isOver(counted, { calls: limit, messages: isMessages ? messages : 0 });
  return { limit, remaining: Math.max(0, limit - counted.calls), reset: limit && 1, over };
};

const byDevice = async (guard: Guard, token: string, request: ApiRequest): Promise<Found> => {
  if (readToken(token)?.kind !== 'device') return { identity: null, rate: null };
  const hash = hashOf(token);
  const device = await guard.store.sensors.deviceOf(hash);
  const rate = device && countDevice(guard, hash, request);
  return device ? { identity: { device }, rate } : { identity: null, rate: null };
};

const byProvisioningKey = async (guard: Guard, token: string): Promise<Found> => {
  const key = token === '' ? null : await guard.store.provisioning.byHash(hashOf(token), guard.now());
  return { identity: key && { provisioner: key }, rate: null };
};

const identify = (guard: Guard, request: ApiRequest, auth: Operation['auth']): Promise<Found> => {
  const token = bearer(request);
  if (auth === 'device') return byDevice(guard, token ?? '', request);
  if (auth === 'provisioner') return byProvisioningKey(guard, token ?? '');
  if (auth === 'anyone') return Promise.resolve({ identity: {}, rate: null });
  // Browsers send cookies by themselves, so a cookie is valid only for a login: an access token has no CSRF token to go
  // with it.
  const fromCookie = cookie(request.event, 'PSAUTHTOKEN') ?? '';
  return byToken(guard, token ?? (readToken(fromCookie)?.kind === 'session' ? fromCookie : ''));
};

/** Counts a call that no operation matches by the caller's address. */
export const countAddress =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    request.context.exchange.rate = await count(guard, `address:${addressOf(request.event, guard.settings)}`);
  };

/** Answers 429 if the call exceeds its rate limit. */
export const checkRate = async (request: ApiRequest): Promise<void> => {
  const { rate } = request.context.exchange;
  if (rate.over) throw new ApiError('rate_limited', { waitSeconds: Math.max(1, rate.reset) });
};

/** Counts a call without an account or a device by the caller's address. */
const countAnonymous = (guard: Guard, request: ApiRequest): Promise<Rate> => {
  const address = addressOf(request.event, guard.settings);
  if (!operationOf(request).published) return count(guard, `address:${address}`);
  return count(guard, `published:${address}`, Math.min(PUBLISHED_CALLS, guard.settings.RATE_LIMIT_PER_SECOND));
};

/**
 * Finds the caller and counts the call. It answers 401 if the credentials are missing or invalid; such a call counts
 * against its address, and above the address's limit the answer is 429. If a login is optional, a call without a token
 * passes, but a token that is sent must be valid.
 */
export const authenticate =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    const { auth } = operationOf(request);
    if (headerValues(request.event, 'authorization').length > 1) {
      await countAddress(guard)(request);
      await checkRate(request);
      refuse('Authorization', 'repeated_header');
    }
    const { identity, rate } = await identify(guard, request, auth);
    const counted = rate ?? (await countAnonymous(guard, request));
    Object.assign(request.context.exchange, { rate: counted, caller: null, ...identity });
    if (identity?.caller) request.context.exchange.locale = identity.caller.locale;
    const isAnonymous = auth === 'optional' && bearer(request) === undefined;
    if (identity || isAnonymous) return;
    await checkRate(request);
    throw new ApiError('credentials_invalid');
  };

const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Gives the live session of a cookie if a page of another site could misuse it in this call, otherwise null. */
const sessionToGuard = async (guard: Guard, request: ApiRequest): Promise<(Session & { hash: string }) | null> => {
  const token = cookie(request.event, 'PSAUTHTOKEN') ?? '';
  const { csrfExempt } = operationOf(request);
  const read = readToken(token);
  if (csrfExempt || harmless.has(request.event.httpMethod) || read?.kind !== 'session') return null;
  const hash = hashOf(token);
  const { sessions } = guard.store;
  const [session, account] = await Promise.all([sessions.session(hash), sessions.account(read.accountKey)]);
  return session && isLive(session, account, guard.now()) ? { ...session, hash } : null;
};

/**
 * Answers 403 and ends the session if a call with the cookie of a live session lacks the session's own X-CSRF-Token, or
 * repeats the header. It answers 400 if the header is repeated and there is no session to end.
 */
export const checkCsrf =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    const [shown = '', ...more] = headerValues(request.event, 'x-csrf-token');
    const session = await sessionToGuard(guard, request);
    if (session && (more.length > 0 || !sameSecret(shown, session.csrf))) {
      await guard.store.sessions.end(session.hash);
      request.context.exchange.cookies = expiredCookies(request.event);
      throw new ApiError('csrf_detected');
    }
    if (more.length === 0) return;
    await checkRate(request);
    refuse('X-CSRF-Token', 'repeated_header');
  };

/** Is the call refused because its token only allows reading? */
const isHeldBack = ({ event }: ApiRequest, caller: Caller): boolean => caller.readOnly && event.httpMethod !== 'GET';

const mayCall = (operation: Operation, caller: Caller, userId: string | undefined): boolean => {
  if (operation.auth !== 'user' && operation.auth !== 'session') return true;
  if (operation.auth === 'session' && caller.kind !== 'session') return false;
  const isSelf = userId === 'me' || userId === String(caller.accountId);
  if (isSelf && (operation.orSelf === true || (operation.orSelf && caller.kind === 'session'))) return true;
  if (operation.may === 'logged_in') return true;
  if (operation.may === 'system_admin') return caller.isAdmin;
  return [operation.may].flat().some((permission: Permission) => holds(caller, permission));
};

/** Answers 403 if the access rule of the operation does not allow the caller. */
export const authorise = async (request: ApiRequest): Promise<void> => {
  const { caller } = request.context.exchange;
  if (!caller) return;
  const isOpen = mayCall(operationOf(request), caller, request.event.pathParameters?.userId);
  if (!isOpen || isHeldBack(request, caller)) throw new ApiError('forbidden');
};
