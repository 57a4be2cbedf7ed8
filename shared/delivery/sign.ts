import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';

export type AuthMethod = 'bearer' | 'api_key' | 'basic' | 'jwt' | 'none';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const JWT_SECONDS = 300;

/**
 * The headers that name and sign one attempt, over the exact bytes of `body`.
 * `webhook-id` and `webhook-timestamp` (Unix seconds of the attempt) always; `webhook-signature` with one `v1,<base64>`
 * for each of `secrets`, newest first; `X-Service-Cloud-Signature: sha256=<lower-case hex>` with `primary` (D2).
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
 * The header by which the receiver recognises the service (D2). A `jwt` is HS256 with the token's bytes as its key,
 * for the origin of `targetUrl`, valid for 300 s from `nowSeconds` (Unix seconds). `targetUrl` is a checked URL.
 */
export async function authHeaders(input: {
  method: AuthMethod;
  token: string;
  issuer: string;
  webhookId: string;
  targetUrl: string;
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
    .setAudience(new URL(input.targetUrl).origin)
    .setIssuedAt(input.nowSeconds)
    .setExpirationTime(input.nowSeconds + JWT_SECONDS)
    .setJti(input.deliveryId)
    .sign(new TextEncoder().encode(input.token));
}

function standardKey(secret: string): Buffer {
  const rest = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  // What is no base64 would decode to a short or even empty key, so that anybody could sign.
  return rest !== '' && BASE64.test(rest) ? Buffer.from(rest, 'base64') : Buffer.from(secret);
}
