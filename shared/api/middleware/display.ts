import { extendedExpiry } from '#shared/domain/identity/session-life.ts';
import type { Session } from '#shared/store/identity/sessions.ts';
import { sessionCookies } from '../http/cookies.ts';
import { bearerToken, type Exchange, operationOf } from '../http/exchange.ts';
import { allowsDisplay } from '../operation.ts';
import type { Guard } from './guard.ts';

/** Extends the session of a display that makes a request, and the cookies if the session was sent in them. */
export const extendDisplay = async (
  { store, now }: Guard,
  exchange: Exchange,
  { session, hash, token }: { session: Session; hash: string; token: string },
): Promise<void> => {
  const { createDate, expires: was, accountId, csrf } = session;
  if (!session.display || was === null || !allowsDisplay(operationOf(exchange))) return;
  const at = now();
  const expires = extendedExpiry({ createDate, expires: was }, at);
  if (expires === null || !(await store.sessions.renew(hash, was, expires))) return;
  if (bearerToken(exchange) === undefined)
    exchange.cookies = sessionCookies(exchange.event, { token, userId: accountId, csrf }, expires - at);
};
