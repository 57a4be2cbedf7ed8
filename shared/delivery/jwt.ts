import { SignJWT } from 'jose';

export type JwtInput = {
  token: string;
  issuer: string;
  webhookId: string;
  targetUrl: string | null;
  deliveryId: string;
  nowSeconds: number;
};

const JWT_SECONDS = 300;

/**
 * Returns the JWT that authenticates the service to a receiver. The JWT is signed with HS256, keyed with the token
 * bytes, and valid for 300 s from `nowSeconds` (Unix seconds). The audience is the origin of `targetUrl` (a checked
 * URL) or, if that is null, the issuer.
 */
export const jwt = (input: JwtInput): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(input.issuer)
    .setSubject(input.webhookId)
    .setAudience(input.targetUrl === null ? input.issuer : new URL(input.targetUrl).origin)
    .setIssuedAt(input.nowSeconds)
    .setExpirationTime(input.nowSeconds + JWT_SECONDS)
    .setJti(input.deliveryId)
    .sign(new TextEncoder().encode(input.token));
