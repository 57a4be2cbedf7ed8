import { hashOf, readToken, sameSecret } from '#shared/auth/tokens.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import { ApiError, refuse } from '../errors.ts';
import { expiredCookies } from '../http/cookies.ts';
import { type ApiRequest, cookie, headerValues, operationOf } from '../http/exchange.ts';
import type { Guard } from './guard.ts';
import { isLive } from './identify.ts';
import { checkRate } from './rate-limit.ts';

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
  return session && isLive(guard, session, account) ? { ...session, hash } : null;
};

/** Answers 403 and ends the session of the cookie, if a page of another site could misuse it in this call. */
export const endGuarded = async (guard: Guard, request: ApiRequest, isRight = (_: Session) => false): Promise<void> => {
  const session = await sessionToGuard(guard, request);
  if (!session || isRight(session)) return;
  await guard.store.sessions.end(session.hash);
  request.context.exchange.cookies = expiredCookies(request.event);
  throw new ApiError('csrf_detected');
};

/**
 * Answers 403 and ends the session if a call with the cookie of a live session lacks the session's own X-CSRF-Token, or
 * repeats the header. It answers 400 if the header is repeated and there is no session to end.
 */
export const checkCsrf =
  (guard: Guard) =>
  async (request: ApiRequest): Promise<void> => {
    const [shown = '', ...more] = headerValues(request.event, 'x-csrf-token');
    await endGuarded(guard, request, ({ csrf }) => more.length === 0 && sameSecret(shown, csrf));
    if (more.length === 0) return;
    await checkRate(request);
    refuse('X-CSRF-Token', 'repeated_header');
  };
