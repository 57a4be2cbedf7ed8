import { createHash, timingSafeEqual } from 'node:crypto';

/** What a token opens: a login, an account by program, a device, or the registration of devices. */
export const tokenKinds = { session: 'ses', access: 'pat', device: 'dev', provisioning: 'prv' } as const;
export type TokenKind = keyof typeof tokenKinds;

const ACCOUNT_KEY = 20;
const SECRET = 32;
const CHECKSUM = 6;
const form = /^(ses|pat|dev|prv)_([\w-]{32,52})([0-9a-f]{6})$/;

const checksum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM);
const seal = (text: string) => text + checksum(text);

/** A name for an account that nobody can guess: 120 random bits as 20 characters. */
export const drawAccountKey = (random: (bytes: number) => Uint8Array): string =>
  Buffer.from(random(15)).toString('base64url');

/**
 * An opaque token with 192 random bits. Those of accounts carry the account's unguessable key too, so that the account,
 * its rate and the session are read at the same time. Whoever had a token once knows that key: it opens nothing, and
 * what is shown with it and opens nothing counts against its address.
 */
export const drawToken = (kind: TokenKind, random: (bytes: number) => Uint8Array, accountKey = ''): string =>
  seal(`${tokenKinds[kind]}_${Buffer.from(random(24)).toString('base64url')}${accountKey}`);

/** Reads a token's form: null for garbage, without a look at the table. */
export const readToken = (text: string): { kind: TokenKind; accountKey: string } | null => {
  const [, prefix, body = '', sum] = form.exec(text) ?? [];
  const kind = (Object.keys(tokenKinds) as TokenKind[]).find((one) => tokenKinds[one] === prefix);
  const ofAccount = kind === 'session' || kind === 'access';
  if (!kind || body.length !== SECRET + (ofAccount ? ACCOUNT_KEY : 0)) return null;
  return checksum(`${prefix}_${body}`) === sum ? { kind, accountKey: ofAccount ? body.slice(SECRET) : '' } : null;
};

/** All that is stored of a token or code. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Is it the secret of a setting, which says it as it is or as `sha256:` and its hash in hex? */
export const isSecret = (shown: string, setting: string): boolean =>
  sameSecret(
    setting.startsWith('sha256:') ? `sha256:${createHash('sha256').update(shown).digest('hex')}` : shown,
    setting,
  );

/** Compares two secrets in a time that does not depend on where they differ. */
export const sameSecret = (a: string, b: string): boolean =>
  timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
