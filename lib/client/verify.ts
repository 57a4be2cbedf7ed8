/** The request headers, from `fetch` or (with lower-case names) from `node:http`. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** The body as it arrived, before any parsing, as bytes or as text. */
export type ReceivedBody = string | Uint8Array;

/**
 * Why verification failed: a header is missing or malformed, the timestamp is too old, or the signature does not match.
 */
export type Reason = 'missing' | 'expired' | 'wrong';
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const V1 = /^v1,[A-Za-z0-9+/]{43}=$/;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** Returns the key for a secret: decoded from Base64 after `whsec_`, or else the text itself. */
const standardKey = (secret: string): Uint8Array<ArrayBuffer> => {
  const rest = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : '';
  return rest !== '' && BASE64.test(rest) ? fromBase64(rest) : utf8(secret);
};

const headerOf = (headers: ReceivedHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? '' : (headers[found] ?? '');
  return typeof value === 'string' ? value : value.join(' ');
};

/** Whether at least one signature is valid. `subtle.verify` compares in constant time. */
const isSigned = async (
  key: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> => {
  if (key.length === 0) throw new TypeError('the secret is empty');
  const hmac = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify']);
  const results = await Promise.all(signatures.map((signature) => crypto.subtle.verify('HMAC', hmac, signature, text)));
  return results.includes(true);
};

const joined = (start: string, body: ReceivedBody): Uint8Array<ArrayBuffer> => {
  const head = utf8(start);
  const rest = typeof body === 'string' ? utf8(body) : body;
  const all = new Uint8Array(head.length + rest.length);
  all.set(head);
  all.set(rest, head.length);
  return all;
};

const listOf = (secret: string | readonly string[]): readonly string[] =>
  typeof secret === 'string' ? [secret] : secret;

/**
 * Verifies the `webhook-signature` of a delivery (Standard Webhooks, v1): the sender knows the secret, the body is
 * unchanged, and the request was sent within `tolerance` seconds (300 by default) of `now` (ms; the system clock by
 * default). One signature must match one of the secrets, so sender and receiver can rotate them independently. Returns
 * the delivery id, which is the same for all attempts, and the time (ms) at which this attempt was sent. Throws a
 * VerificationError.
 */
export const verify = async (
  headers: ReceivedHeaders,
  body: ReceivedBody,
  secret: string | readonly string[],
  { now = Date.now(), tolerance = TOLERANCE_SECONDS }: { now?: number; tolerance?: number } = {},
): Promise<{ id: string; sentAt: number }> => {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(/,? +/);
  const read = signatures.flatMap((signature) => (V1.test(signature) ? fromBase64(signature.slice('v1,'.length)) : []));
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || read.length === 0)
    throw new VerificationError(
      'missing',
      'webhook-id, webhook-timestamp or webhook-signature is missing or malformed',
    );
  const sentAt = Number(timestamp) * 1_000;
  if (Math.abs(now - sentAt) > tolerance * 1_000)
    throw new VerificationError(
      'expired',
      `webhook-timestamp differs from the current time by more than ${tolerance} s`,
    );
  const text = joined(`${id}.${timestamp}.`, body);
  for (const key of listOf(secret)) {
    if (await isSigned(standardKey(key), text, read)) return { id, sentAt };
  }
  throw new VerificationError('wrong', 'the signature does not match the body and the secret');
};

/**
 * Verifies the older `X-Service-Cloud-Signature` of a delivery. It covers neither the id nor the time, so anyone who
 * intercepts a request can replay it. Prefer `verify`. Throws a VerificationError.
 */
export const verifySimple = async (
  headers: ReceivedHeaders,
  body: ReceivedBody,
  secret: string | readonly string[],
): Promise<void> => {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(headerOf(headers, 'x-service-cloud-signature')) ?? [];
  if (hex === undefined) throw new VerificationError('missing', 'X-Service-Cloud-Signature is missing or malformed');
  for (const key of listOf(secret)) {
    if (await isSigned(utf8(key), joined('', body), [fromHex(hex)])) return;
  }
  throw new VerificationError('wrong', 'the signature does not match the body and the secret');
};
