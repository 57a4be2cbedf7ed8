import { decoded, isLoopback } from '../mail/smtp-url.ts';

/** The Home Assistant MQTT broker named by `HOME_ASSISTANT_MQTT_URL`. */
export type Broker = {
  host: string;
  port: number;
  /** Empty if the address contains no login. */
  user: string;
  password: string;
  isEncrypted: boolean;
};

const ports = { 'mqtt:': 1_883, 'mqtts:': 8_883 } as const;
const isScheme = (text: string): text is keyof typeof ports => text in ports;

/**
 * Reads a broker address. Null if the address is invalid, or if it points to another machine without TLS and lacks
 * `?tls=none`.
 */
export const readBrokerUrl = (text: string): Broker | null => {
  const url = URL.parse(text);
  if (!url || !isScheme(url.protocol) || url.hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '')
    return null;
  const host = url.hostname.replaceAll(/[[\]]/g, '').toLowerCase();
  const isEncrypted = url.protocol === 'mqtts:';
  const isAllowed = url.search === '' ? isEncrypted || isLoopback(host) : !isEncrypted && url.search === '?tls=none';
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (!isAllowed || user === null || password === null) return null;
  return { host, port: Number(url.port || ports[url.protocol]), user, password, isEncrypted };
};
