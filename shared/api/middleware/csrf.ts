import { hashSecret, parseToken, secretsEqual } from '#shared/auth/tokens.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import { ApiError, refuse } from '../errors.ts';
import { expiredCookies } from '../http/cookies.ts';
import { cookie, type Exchange, headerValues, operationOf } from '../http/exchange.ts';
import { apiOf } from '../operation.ts';
import { isValidSession } from './authenticate.ts';
import type { Guard } from './guard.ts';
import { checkRate, countAddress } from './rate-limit.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns the live session in the cookie if another site could abuse it through this request, otherwise null. */
const vulnerableSession = async (guard: Guard, exchange: Exchange): Promise<(Session & { hash: string }) | null> => {
  const token = cookie(exchange.event, 'PSAUTHTOKEN') ?? '';
  const { csrfExempt } = operationOf(exchange);
  const read = parseToken(token);
  if (csrfExempt || safeMethods.has(exchange.event.httpMethod) || read?.kind !== 'session') return null;
  const hash = hashSecret(token);
  const { sessions } = guard.store;
  const [session, account] = await Promise.all([sessions.session(hash), sessions.account(read.accountKey)]);
  return session && isValidSession(guard, session, account) ? { ...session, hash } : null;
};

/** Responds with 403 and ends the session in the cookie if another site could abuse it through this request. */
const endVulnerable = async (guard: Guard, exchange: Exchange, isProtected = (_: Session) => false): Promise<void> => {
  const session = await vulnerableSession(guard, exchange);
  if (!session || isProtected(session)) return;
  await guard.store.sessions.end(session.hash);
  exchange.cookies = expiredCookies(exchange.event);
  throw new ApiError('csrf_detected');
};

/**
 * Responds with 403 and ends the session in the cookie if the X-CSRF-Token header is missing, wrong or repeated.
 * Responds with 400 if the header is repeated without such a session.
 */
export const checkCsrf = async (guard: Guard, exchange: Exchange): Promise<void> => {
  const [shown = '', ...more] = headerValues(exchange.event, 'x-csrf-token');
  await endVulnerable(guard, exchange, ({ csrf }) => more.length === 0 && secretsEqual(shown, csrf));
  if (more.length === 0) return;
  checkRate(exchange);
  refuse('X-CSRF-Token', 'repeated_header');
};

/**
 * Responds with 400 if there are several Authorization headers. If another site could abuse the session through this
 * request, ends the session and responds with 403 instead. Such requests count against the address.
 */
export const checkOneAuthorization = async (guard: Guard, exchange: Exchange): Promise<void> => {
  if (headerValues(exchange.event, 'authorization').length <= 1) return;
  await countAddress(guard, exchange, apiOf(operationOf(exchange)));
  checkRate(exchange);
  await endVulnerable(guard, exchange);
  refuse('Authorization', 'repeated_header');
};
