import { isIP } from 'node:net';

/** The mail server named by `SMTP_URL`. */
export type SmtpServer = {
  host: string;
  port: number;
  /** Empty if the address contains no login. */
  user: string;
  password: string;
  /** TLS from the first byte, TLS through STARTTLS, STARTTLS if the server offers it, or none. */
  encryption: 'tls' | 'starttls' | 'offered' | 'none';
};

const ports = { 'smtp:': 587, 'smtps:': 465 } as const;
const isScheme = (text: string): text is keyof typeof ports => text in ports;

/** Whether the host in a URL is this machine itself. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** Decodes part of a URL. Null if it is not valid. */
export const decoded = (part: string): string | null => {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
};

const encryptionOf = (scheme: keyof typeof ports, host: string, query: string): SmtpServer['encryption'] | null => {
  if (scheme === 'smtps:') return query === '' ? 'tls' : null;
  if (query === '?tls=none') return 'none';
  if (query !== '') return null;
  return isLoopback(host) ? 'offered' : 'starttls';
};

/** Reads a mail server address. Null if it is invalid. */
export const readSmtpUrl = (text: string): SmtpServer | null => {
  const url = URL.parse(text);
  if (!url || !isScheme(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '')
    return null;
  const host = url.hostname.replaceAll(/[[\]]/g, '').toLowerCase();
  const encryption = encryptionOf(url.protocol, host, url.search);
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (encryption === null || user === null || password === null) return null;
  return { host, port: Number(url.port || ports[url.protocol]), user, password, encryption };
};
