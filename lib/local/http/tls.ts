import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Log } from '#shared/observability/log.ts';
import type { Clock } from '../clock.ts';

/** The files with a certificate chain and the private key (PEM). */
export type TlsFiles = { cert: string; key: string };
type Pair = { cert: Buffer; key: Buffer };

/** How often (ms) the files are checked for changes. */
const CHECK_EVERY_MS = 10_000;

const read = ({ cert, key }: TlsFiles): Pair => {
  const pair = { cert: readFileSync(cert), key: readFileSync(key) };
  // Throws if the certificate or the key is not PEM, or if they do not match.
  createSecureContext(pair);
  return pair;
};

const readFirst = (files: TlsFiles): Pair => {
  try {
    return read(files);
  } catch (cause) {
    throw new Error(`TLS_CERT and TLS_KEY: ${(cause as Error).message}`, { cause });
  }
};

const stampOf = ({ cert, key }: TlsFiles): string =>
  [cert, key].map((file) => `${statSync(file).mtimeMs} ${statSync(file).size}`).join(' ');

/**
 * Reads a certificate and key, and reloads them when the files change, such as on renewal. Servers passed to `attach`
 * get each new pair. While the files do not match, the previous pair stays in use.
 */
export const openTls = (files: TlsFiles, clock: Clock, log: Log) => {
  let stamp = stampOf(files);
  let pair = readFirst(files);
  const servers = new Set<{ setSecureContext(options: Pair): void }>();
  const checkFiles = (): void => {
    cancel = clock.after(CHECK_EVERY_MS, checkFiles);
    try {
      const now = stampOf(files);
      if (now === stamp) return;
      pair = read(files);
      stamp = now;
      for (const server of servers) server.setSecureContext(pair);
    } catch (error) {
      log('error', 'cannot reload TLS_CERT and TLS_KEY, keeping the previous certificate', {}, error);
    }
  };
  let cancel = clock.after(CHECK_EVERY_MS, checkFiles);
  return {
    pair: (): Pair => pair,
    attach: (server: { setSecureContext(options: Pair): void }): void => void servers.add(server),
    stop: () => cancel(),
  };
};
export type Tls = ReturnType<typeof openTls>;
