import { sessionCookies } from '#shared/api/http/cookies.ts';
import { type APIGatewayProxyEvent, header } from '#shared/api/http/exchange.ts';
import { Reply } from '#shared/api/operation.ts';
import { drawToken, hashSecret } from '#shared/auth/tokens.ts';
import { USER_AGENT_LENGTH } from '#shared/domain/identity/session.ts';
import { DISPLAY_SECONDS, SESSION_SECONDS } from '#shared/domain/identity/session-life.ts';
import { randomUuid } from '#shared/domain/ids.ts';
import type { Deps } from '#shared/runtime/deps.ts';
import type { Account } from '#shared/store/identity/sessions.ts';
import type { UserItem } from '#shared/store/identity/users.ts';

type StartDeps = Deps<'sessions.start' | 'users.get' | 'sessions.rememberAddress'>;
/** `authDate`, `display`: see Session. */
type NewSession = {
  accountKey: string;
  account: Account;
  mustSetOtp: boolean;
  authDate?: number;
  display?: boolean | undefined;
};
type LoginRequest = { event: APIGatewayProxyEvent; address: string };

/** Starts a session. Returns the login response, or null if the user was deleted. */
export const startSession = async (
  { accountKey, account, mustSetOtp, authDate, display }: NewSession,
  { event, address }: LoginRequest,
  { store, now, random }: StartDeps,
): Promise<Reply<UserItem> | null> => {
  const { accountId, customerId, epoch } = account;
  const token = drawToken('session', random, accountKey);
  const csrf = Buffer.from(random(24)).toString('base64url');
  const createDate = now();
  const expires = createDate + SESSION_SECONDS * 1_000;
  const limit = mustSetOtp && { mustSetOtp: true as const };
  const onWall = display === true && { display };
  const authenticated = authDate !== undefined && { authDate };
  const userAgent = (header(event, 'user-agent') ?? '').slice(0, USER_AGENT_LENGTH);
  const from = { id: randomUuid(random), address, userAgent };
  const session = {
    kind: 'session' as const,
    accountId,
    epoch,
    csrf,
    createDate,
    expires,
    ...from,
    ...limit,
    ...onWall,
    ...authenticated,
  };
  const until = display === true ? createDate + DISPLAY_SECONDS * 1_000 : expires;
  const [user] = await Promise.all([
    store.users.get(customerId, accountId),
    store.sessions.start(accountKey, hashSecret(token), session, until),
    store.sessions.rememberAddress(accountKey, address, createDate),
  ]);
  if (!user) return null;
  const cookies = sessionCookies(event, { token, userId: accountId, csrf }, expires - createDate);
  return new Reply({ ...user, ...limit, ...onWall }, { headers: { Token: token }, cookies });
};
