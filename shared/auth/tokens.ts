import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The token kinds and their prefixes: for login sessions, for programs that access an account, for devices, and for
 * registering devices.
 */
export const tokenKinds = { session: 'ses', access: 'pat', device: 'dev', provisioning: 'prv' } as const;
export type TokenKind = keyof typeof tokenKinds;

const ACCOUNT_KEY = 20;
const SECRET = 32;
const CHECKSUM = 6;
const form = /^(ses|pat|dev|prv)_([\w-]{32,52})([0-9a-f]{6})$/;

const checksum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM);
const withChecksum = (text: string) => text + checksum(text);

/** Generates an unguessable account key with 120 random bits as 20 characters. */
export const newAccountKey = (random: (bytes: number) => Uint8Array): string =>
  Buffer.from(random(15)).toString('base64url');

/**
 * Generates an opaque token with 192 random bits. An account token also contains the account key, so that the account,
 * rate and session can be read at the same time. Anyone who ever had such a token knows the key. The key alone does not
 * grant access, and an invalid token with a valid key counts against the address of the caller.
 */
export const drawToken = (kind: TokenKind, random: (bytes: number) => Uint8Array, accountKey = ''): string =>
  withChecksum(`${tokenKinds[kind]}_${Buffer.from(random(24)).toString('base64url')}${accountKey}`);

/** Parses a token without reading the table. Returns null if the format or checksum is wrong. */
export const parseToken = (text: string): { kind: TokenKind; accountKey: string } | null => {
  const [, prefix, body = '', sum] = form.exec(text) ?? [];
  const kind = (Object.keys(tokenKinds) as TokenKind[]).find((key) => tokenKinds[key] === prefix);
  const ofAccount = kind === 'session' || kind === 'access';
  if (!kind || body.length !== SECRET + (ofAccount ? ACCOUNT_KEY : 0)) return null;
  return checksum(`${prefix}_${body}`) === sum ? { kind, accountKey: ofAccount ? body.slice(SECRET) : '' } : null;
};

/** Returns the SHA-256 hash of a token or code in base64url. Secrets are stored only as hashes. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/**
 * Whether `shown` is the secret in a setting. The setting holds either the secret itself, or `sha256:` and the hash in
 * hex.
 */
export const matchesSecret = (shown: string, setting: string): boolean =>
  secretsEqual(
    setting.startsWith('sha256:') ? `sha256:${createHash('sha256').update(shown).digest('hex')}` : shown,
    setting,
  );

/** Compares two secrets in constant time. */
export const secretsEqual = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
