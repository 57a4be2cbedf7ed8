import { type APIGatewayProxyEvent, header } from './exchange.ts';

const names = {
  PSAUTHTOKEN: 'HttpOnly; SameSite=Lax',
  PSUSERID: 'SameSite=Strict',
  PSCSRF: 'SameSite=Strict',
} as const;
type CookieValues = Record<keyof typeof names, string>;

const setCookies = (event: APIGatewayProxyEvent, values: CookieValues, maxAge: number): string[] => {
  const secure = header(event, 'x-forwarded-proto') === 'https' ? '; Secure' : '';
  return Object.entries(names).map(
    ([name, attributes]) =>
      `${name}=${values[name as keyof CookieValues]}; Path=/; Max-Age=${maxAge}; ${attributes}${secure}`,
  );
};

/** Returns the Set-Cookie headers for a session that expires in `ms`. */
export const sessionCookies = (
  event: APIGatewayProxyEvent,
  { token, userId, csrf }: { token: string; userId: number; csrf: string },
  ms: number,
): string[] =>
  setCookies(event, { PSAUTHTOKEN: token, PSUSERID: String(userId), PSCSRF: csrf }, Math.floor(ms / 1_000));

/** Returns the Set-Cookie headers that delete the login cookies. */
export const expiredCookies = (event: APIGatewayProxyEvent): string[] =>
  setCookies(event, { PSAUTHTOKEN: '', PSUSERID: '', PSCSRF: '' }, 0);
