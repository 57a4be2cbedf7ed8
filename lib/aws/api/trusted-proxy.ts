import { createHash } from 'node:crypto';
import { headerName, secretOrHash } from '#shared/settings/kinds.ts';
import { isObject, parsed } from '#shared/settings/setting.ts';

/**
 * The one proxy in front of the API, such as a CDN: the header with the address of the caller, and the header with
 * the secret that proves the proxy. All parts are empty when there is no proxy.
 */
export type ProxyInFront = {
  header: string;
  secretHeader: string;
  /** `sha256:` and the hash in hex. The hash of a random secret does not reveal it, so it may be in templates. */
  secret: string;
};

export const NO_PROXY: ProxyInFront = { header: '', secretHeader: '', secret: '' };

const nameOf = (given: unknown): string | null => (typeof given === 'string' && headerName.test(given) ? given : null);

const hashed = (secret: string): string =>
  secret.startsWith('sha256:') ? secret : `sha256:${createHash('sha256').update(secret).digest('hex')}`;

const partsOf = (given: unknown) => {
  const { header, secretHeader, secret } = Object(parsed(given)) as Record<string, unknown>;
  return { header: nameOf(header), secretHeader: nameOf(secretHeader), secret: secretOrHash.read(secret) };
};

/** Reads the setting from the context: an object, its JSON, or '' for none. Null means that it is wrong. */
export const readTrustedProxy = (given: unknown): ProxyInFront | null => {
  if (given === '') return NO_PROXY;
  const { header, secretHeader, secret } = partsOf(given);
  return header && secretHeader && secret ? { header, secretHeader, secret: hashed(secret) } : null;
};

/** Says which part of a refused setting is wrong or missing, without showing any. */
export const whyNoProxy = (given: unknown): string => {
  if (!isObject(parsed(given))) return 'it is no JSON object';
  const wrong = Object.entries(partsOf(given)).flatMap(([name, value]) => (value === null ? [name] : []));
  return `wrong or missing is ${wrong.join(', ')}`;
};
