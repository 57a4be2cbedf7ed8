/** The headers of a request: those of `fetch`, or of `node:http` with lower-case names. */
export type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
/** The body as it arrived, before any parser: its bytes, or its text. */
export type ReceivedBody = string | Uint8Array;

/** Why a request is not taken: a header is missing or has a wrong form, it is too old, or not signed by the secret. */
export type Reason = 'missing' | 'expired' | 'wrong';
export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly reason: Reason;
  constructor(reason: Reason, message: string) {
    super(message);
    this.reason = reason;
  }
}

const TOLERANCE = 300;
const SECRET = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const V1 = /^v1,[A-Za-z0-9+/]{43}=$/;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** The key behind a secret: `whsec_` and Base64 of it, or any other text as it is. */
const standardKey = (secret: string): Uint8Array<ArrayBuffer> => {
  const rest = secret.startsWith(SECRET) ? secret.slice(SECRET.length) : '';
  return rest !== '' && BASE64.test(rest) ? fromBase64(rest) : utf8(secret);
};

const headerOf = (headers: ReceivedHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? '' : (headers[found] ?? '');
  return typeof value === 'string' ? value : value.join(' ');
};

/** `subtle.verify` compares in a time that does not depend on where the signatures differ. */
const isSigned = async (
  key: Uint8Array<ArrayBuffer>,
  text: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> => {
  if (key.length === 0) throw new TypeError('the secret is empty');
  const hmac = await crypto.subtle.importKey('raw', key, HMAC, false, ['verify']);
  const judged = await Promise.all(signatures.map((signature) => crypto.subtle.verify('HMAC', hmac, signature, text)));
  return judged.includes(true);
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
 * Checks a delivery by `webhook-signature` (Standard Webhooks, v1): the sender knows the secret, no byte was changed,
 * and it was sent within `tolerance` seconds (300) of `now` (ms since the Unix epoch, the clock of this machine without
 * it). One of its signatures must be of one of the secrets, so both sides can change theirs at their own time. Gives the
 * id of the delivery, which all its attempts have, and when this one was sent (ms). Throws a VerificationError.
 */
export const verify = async (
  headers: ReceivedHeaders,
  body: ReceivedBody,
  secret: string | readonly string[],
  { now = Date.now(), tolerance = TOLERANCE }: { now?: number; tolerance?: number } = {},
): Promise<{ id: string; sentAt: number }> => {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(/,? +/);
  const read = signatures.flatMap((signature) => (V1.test(signature) ? fromBase64(signature.slice('v1,'.length)) : []));
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || read.length === 0)
    throw new VerificationError('missing', 'webhook-id, webhook-timestamp and webhook-signature are needed');
  const sentAt = Number(timestamp) * 1_000;
  if (Math.abs(now - sentAt) > tolerance * 1_000)
    throw new VerificationError('expired', `the time of sending is more than ${tolerance} s away`);
  const text = joined(`${id}.${timestamp}.`, body);
  for (const key of listOf(secret)) {
    if (await isSigned(standardKey(key), text, read)) return { id, sentAt };
  }
  throw new VerificationError('wrong', 'the signature is not of this body and secret');
};

/**
 * Checks a delivery by the older `X-Service-Cloud-Signature`, which covers neither its id nor its time: whoever has a
 * request can send it again. Prefer `verify`. Throws a VerificationError.
 */
export const verifySimple = async (
  headers: ReceivedHeaders,
  body: ReceivedBody,
  secret: string | readonly string[],
): Promise<void> => {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(headerOf(headers, 'x-service-cloud-signature')) ?? [];
  if (hex === undefined) throw new VerificationError('missing', 'X-Service-Cloud-Signature is needed');
  for (const key of listOf(secret)) {
    if (await isSigned(utf8(key), joined('', body), [fromHex(hex)])) return;
  }
  throw new VerificationError('wrong', 'the signature is not of this body and secret');
};
