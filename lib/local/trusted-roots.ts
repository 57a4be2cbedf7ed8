import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Whether a string contains certificates (PEM) and all of them are readable. */
export const hasCertificates = (text: string): boolean => {
  const found = text.match(CERTIFICATE) ?? [];
  try {
    return found.map((certificate) => new X509Certificate(certificate)).length > 0;
  } catch {
    return false;
  }
};

/** Returns the certificates (PEM) of the authorities trusted by Node.js, followed by `extra`. */
const rootsAnd = (extra: string): string[] => [...getCACertificates('default'), extra];

/**
 * Returns the authorities trusted by a connection: `ca` (PEM) or, if it is empty, those trusted by Node.js. The
 * authorities in `extra` (PEM) are also trusted.
 */
export const authoritiesOf = (ca: string, extra: string): { ca?: string[] } => {
  if (ca !== '') return { ca: [ca, extra].filter(Boolean) };
  return extra === '' ? {} : { ca: rootsAnd(extra) };
};

/** Returns a TLS context that trusts the certificates in a file in addition to the authorities trusted by Node.js. */
export const contextTrusting = (file: string): SecureContext =>
  createSecureContext({ ca: rootsAnd(readFileSync(file, 'utf8')) });
