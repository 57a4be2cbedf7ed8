import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';

export type AuthMethod = 'bearer' | 'api_key' | 'basic' | 'jwt' | 'none';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const JWT_SECONDS = 300;

/**
 * Makes the headers that identify and sign one attempt over the exact bytes of `body` (D2): always `webhook-id` and
 * `webhook-timestamp` (Unix seconds); `webhook-signature` with one `v1,<base64>` for each of `secrets`, newest first;
 * `X-Service-Cloud-Signature: sha256=<lower-case hex>` with `primary`.
 */
export function signatureHeaders(input: {
  id: string;
  timestampSeconds: number;
  body: string | Uint8Array;
  secrets: readonly string[];
  primary: string | null;
}): Record<string, string> {
  const { id, body, secrets, primary } = input;
  const timestamp = String(input.timestampSeconds);
  const headers: Record<string, string> = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  const signed = secrets.map((secret) => {
    const hmac = createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  if (signed.length > 0) headers['webhook-signature'] = signed.join(' ');
  if (primary !== null) {
    headers['X-Service-Cloud-Signature'] = `sha256=${createHmac('sha256', primary).update(body).digest('hex')}`;
  }
  return headers;
}

/**
 * Makes the header that authenticates the service to the receiver (D2). A `jwt` is signed by HS256 with the bytes of
 * the token, is for the origin of `targetUrl` (a checked URL; null: for the issuer), and is valid for 300 s from `nowSeconds` (Unix seconds).
 */
export async function authHeaders(input: {
  method: AuthMethod;
  token: string;
  issuer: string;
  webhookId: string;
  targetUrl: string | null;
  deliveryId: string;
  nowSeconds: number;
}): Promise<Record<string, string>> {
  switch (input.method) {
    case 'bearer':
      return { Authorization: `Bearer ${input.token}` };
    case 'api_key':
      return { 'X-Api-Key': input.token };
    case 'basic':
      return { Authorization: `Basic ${Buffer.from(`service-cloud:${input.token}`).toString('base64')}` };
    case 'jwt':
      return { Authorization: `Bearer ${await jwt(input)}` };
    case 'none':
      return {};
  }
}

function jwt(input: Parameters<typeof authHeaders>[0]): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(input.issuer)
    .setSubject(input.webhookId)
    .setAudience(input.targetUrl === null ? input.issuer : new URL(input.targetUrl).origin)
    .setIssuedAt(input.nowSeconds)
    .setExpirationTime(input.nowSeconds + JWT_SECONDS)
    .setJti(input.deliveryId)
    .sign(new TextEncoder().encode(input.token));
}

function standardKey(secret: string): string | Buffer {
  const rest = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  // Text that is not base64 would decode to a short or even empty key, with which anybody could sign.
  return rest !== '' && BASE64.test(rest) ? Buffer.from(rest, 'base64') : secret;
}
