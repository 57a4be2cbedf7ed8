import { createHash } from 'node:crypto';
import { parsed } from './setting.ts';

/**
 * The one hop in front of the API, such as a CDN: the header in which it says who called, and the header with the secret
 * that proves it. All of it is empty where there is none.
 */
export type ProxyInFront = {
  header: string;
  secretHeader: string;
  /** `sha256:` and the hash in hex. Of a random secret it tells nothing, so that it may stand in templates. */
  secret: string;
};

export const NO_PROXY: ProxyInFront = { header: '', secretHeader: '', secret: '' };

const headerName = /^[\w!#$%&'*+.^`|~-]{1,128}$/;
const secretOrHash = /^(sha256:[0-9a-f]{64}|(?!sha256:)[!-~]{16,1024})$/;

const matching = (given: unknown, form: RegExp): string | null =>
  typeof given === 'string' && form.test(given) ? given : null;

const hashed = (secret: string): string =>
  secret.startsWith('sha256:') ? secret : `sha256:${createHash('sha256').update(secret).digest('hex')}`;

/** The setting as the context gives it: an object, or its JSON; '' for none. Null: it is wrong. */
export const readTrustedProxy = (given: unknown): ProxyInFront | null => {
  if (given === '') return NO_PROXY;
  const all = Object(parsed(given)) as Record<string, unknown>;
  const [header, secretHeader] = [matching(all.header, headerName), matching(all.secretHeader, headerName)];
  const secret = matching(all.secret, secretOrHash);
  return header && secretHeader && secret ? { header, secretHeader, secret: hashed(secret) } : null;
};
