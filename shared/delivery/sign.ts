import { createHmac } from 'node:crypto';
import type { JwtInput } from './jwt.ts';

export type AuthMethod = 'bearer' | 'api_key' | 'basic' | 'jwt' | 'none';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Returns the headers that identify a single attempt and sign the exact bytes of `body` (D2). `webhook-id` and
 * `webhook-timestamp` (Unix seconds) are always included. `webhook-signature` has a `v1,<base64>` for each of
 * `secrets`, newest first. With `primary`, there is also `X-Service-Cloud-Signature: sha256=<lower-case hex>`.
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

/** Returns the header that authenticates the service to the receiver (D2). */
export async function authHeaders(input: JwtInput & { method: AuthMethod }): Promise<Record<string, string>> {
  switch (input.method) {
    case 'bearer':
      return { Authorization: `Bearer ${input.token}` };
    case 'api_key':
      return { 'X-Api-Key': input.token };
    case 'basic':
      return { Authorization: `Basic ${Buffer.from(`service-cloud:${input.token}`).toString('base64')}` };
    case 'jwt': {
      // Loaded here because few webhooks use JWT, and the library is large.
      const { jwt } = await import('./jwt.ts');
      return { Authorization: `Bearer ${await jwt(input)}` };
    }
    case 'none':
      return {};
  }
}

function standardKey(secret: string): string | Buffer {
  const rest = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  // Text that is not base64 would decode to a short or even empty key, which anyone could sign with.
  return rest !== '' && BASE64.test(rest) ? Buffer.from(rest, 'base64') : secret;
}
