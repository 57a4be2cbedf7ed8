import { createHash } from 'node:crypto';
import * as z from 'zod';
import { headerName, json, secretOrHash } from '#shared/settings/kinds.ts';

/**
 * The proxy in front of the API, such as a CDN: the headers for the caller's address and for the proxy secret. Without
 * a proxy, all fields are empty.
 */
type TrustedProxy = {
  header: string;
  secretHeader: string;
  /**
   * `sha256:` and the hash in hex. The secret is random and cannot be derived from the hash, so templates may contain
   * it.
   */
  secret: string;
};

export const NO_PROXY: TrustedProxy = { header: '', secretHeader: '', secret: '' };

const hashed = (secret: string): string =>
  secret.startsWith('sha256:') ? secret : `sha256:${createHash('sha256').update(secret).digest('hex')}`;

/** Returns the schema for the setting: an object, or the same object as JSON text; '' for no proxy. */
export const trustedProxySchema = () =>
  json<TrustedProxy>(
    z
      .object({ header: headerName(), secretHeader: headerName(), secret: secretOrHash().transform(hashed) })
      .default(NO_PROXY),
    `a JSON object with header and secretHeader (header names of at most 128 characters) and secret (${secretOrHash().description})`,
  );
