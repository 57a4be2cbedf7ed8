import { hashOf, readToken, sameSecret } from '#shared/auth/tokens.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import { ApiError, refuse } from '../errors.ts';
import { expiredCookies } from '../http/cookies.ts';
import { cookie, type Exchange, headerValues, operationOf } from '../http/exchange.ts';
import { apiOf } from '../operation.ts';
import { isLive } from './authenticate.ts';
import type { Guard } from './guard.ts';
import { checkRate, countAddress } from './rate-limit.ts';

const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Gives the live session of a cookie if a page of another site could misuse it in this call, otherwise null. */
const sessionToGuard = async (guard: Guard, exchange: Exchange): Promise<(Session & { hash: string }) | null> => {
  const token = cookie(exchange.event, 'PSAUTHTOKEN') ?? '';
  const { csrfExempt } = operationOf(exchange);
  const read = readToken(token);
  if (csrfExempt || harmless.has(exchange.event.httpMethod) || read?.kind !== 'session') return null;
  const hash = hashOf(token);
  const { sessions } = guard.store;
  const [session, account] = await Promise.all([sessions.session(hash), sessions.account(read.accountKey)]);
  return session && isLive(guard, session, account) ? { ...session, hash } : null;
};

/** Answers 403 and ends the session of the cookie, if a page of another site could misuse it in this call. */
const endGuarded = async (guard: Guard, exchange: Exchange, isRight = (_: Session) => false): Promise<void> => {
  const session = await sessionToGuard(guard, exchange);
  if (!session || isRight(session)) return;
  await guard.store.sessions.end(session.hash);
  exchange.cookies = expiredCookies(exchange.event);
  throw new ApiError('csrf_detected');
};

/**
 * Answers 403 and ends the session if a call with the cookie of a live session lacks the session's own X-CSRF-Token, or
 * repeats the header. It answers 400 if the header is repeated and there is no session to end.
 */
export const checkCsrf = async (guard: Guard, exchange: Exchange): Promise<void> => {
  const [shown = '', ...more] = headerValues(exchange.event, 'x-csrf-token');
  await endGuarded(guard, exchange, ({ csrf }) => more.length === 0 && sameSecret(shown, csrf));
  if (more.length === 0) return;
  checkRate(exchange);
  refuse('X-CSRF-Token', 'repeated_header');
};

/**
 * Answers 400 if a call has several Authorization headers, and ends the session that a page of another site could misuse in
 * it. Such a call counts against its address.
 */
export const checkOneAuthorization = async (guard: Guard, exchange: Exchange): Promise<void> => {
  if (headerValues(exchange.event, 'authorization').length <= 1) return;
  await countAddress(guard, exchange, apiOf(operationOf(exchange)));
  checkRate(exchange);
  await endGuarded(guard, exchange);
  refuse('Authorization', 'repeated_header');
};
