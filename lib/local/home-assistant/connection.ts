import { readFile } from 'node:fs/promises';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import type { Clock } from '../clock.ts';
import { authoritiesOf } from '../trusted-roots.ts';
import type { HomeAssistantSettings } from './settings.ts';

/** The timeout (ms) for connecting, including the TLS handshake and CONNACK, and for each acknowledgement. */
const STEP_MS = 10_000;
/** A connection without traffic for this long (s) is checked. */
const KEEPALIVE_SECONDS = 30;
/** The pauses (ms) before the next connection attempt. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Why there is no connection: a Node or OpenSSL code, or one of these. */
export type ConnectionFailure =
  | 'login_refused'
  | 'refused'
  | 'subscription_refused'
  | 'closed'
  | 'timeout'
  | 'settings_unreadable'
  | (string & {});

/** CONNACK return codes for a rejected user or password. MQTT 3.1.1, 3.2.2.3 */
const aboutLogin: readonly unknown[] = [4, 5];

const reasonOf = (error: unknown): ConnectionFailure => {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (aboutLogin.includes(code)) return 'login_refused';
  if (typeof code === 'number') return 'refused';
  return typeof code === 'string' ? code : /timeout/i.test(message) ? 'timeout' : 'closed';
};

const contentOf = (file: string | null): Promise<string> =>
  file === null
    ? Promise.resolve('')
    : readFile(file, 'utf8').catch(() => {
        throw Object.assign(new Error(`${file} cannot be read`), { code: 'settings_unreadable' });
      });

/** Reads the files named in the settings for each connection, so a new password or certificate needs no restart. */
const optionsOf = async ({ broker, user, ...files }: HomeAssistantSettings): Promise<IClientOptions> => {
  const { passwordFile, caFile, extraCaFile } = files;
  const [fromFile, ca, extraCa] = await Promise.all([passwordFile, caFile, extraCaFile].map(contentOf));
  const password = passwordFile === null ? broker.password : (fromFile ?? '').trim();
  return {
    protocol: broker.isEncrypted ? 'mqtts' : 'mqtt',
    host: broker.host,
    port: broker.port,
    ...(user !== '' && { username: user, password }),
    ...(broker.isEncrypted && { minVersion: 'TLSv1.2' as const, ...authoritiesOf(ca ?? '', extraCa ?? '') }),
  };
};

type Will = { topic: string; payload: string };
type Options = {
  clock: Clock;
  clientId: string;
  /** The retained message published by the broker when the connection breaks. */
  will: Will;
  subscriptions: readonly string[];
  /** Called with each new connection, before any message. */
  onConnect: () => void;
  onMessage: (topic: string, payload: Buffer, isRetained: boolean) => void;
  /** Called once for each failed or broken connection. */
  onFailure: (reason: ConnectionFailure) => void;
};

/** Maintains a connection to the Home Assistant broker. Reconnects after increasingly long pauses. */
export const createConnection = (settings: HomeAssistantSettings, options: Options) => {
  const { clock, clientId, will, subscriptions, onConnect, onMessage, onFailure } = options;
  let client: MqttClient | null = null;
  let pause = FIRST_PAUSE_MS;
  let cancel = () => {};
  let isStopped = false;

  const retry = (reason: ConnectionFailure): void => {
    client = null;
    if (isStopped) return;
    onFailure(reason);
    cancel = clock.after(pause, () => void open());
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  };
  const attempt = async (): Promise<void> => {
    const common = { clientId, clean: true, keepalive: KEEPALIVE_SECONDS, protocolVersion: 4 as const };
    const more = { reconnectPeriod: 0, connectTimeout: STEP_MS, queueQoSZero: false, resubscribe: false };
    const lastWill = { will: { ...will, payload: Buffer.from(will.payload), qos: 1 as const, retain: true } };
    const read = await optionsOf(settings);
    if (isStopped) return;
    const connecting = connect({ ...read, ...common, ...more, ...lastWill });
    client = connecting;
    let error: unknown = null;
    connecting.on('error', (failure) => {
      error ??= failure;
      connecting.end(true);
    });
    connecting.on('message', (topic, payload, { retain }) => onMessage(topic, payload, retain));
    connecting.on('connect', () => {
      pause = FIRST_PAUSE_MS;
      onConnect();
      connecting.subscribe([...subscriptions], { qos: 1 }, (refused) => {
        if (!refused) return;
        error ??= { code: 'subscription_refused' };
        connecting.end(true);
      });
    });
    connecting.once('close', () => {
      connecting.end(true);
      retry(reasonOf(error));
    });
  };
  const open = (): Promise<void> => attempt().catch((error: unknown) => retry(reasonOf(error)));

  return {
    open,
    isOpen: (): boolean => client?.connected === true && !client.disconnecting,
    /**
     * Publishes a retained message. Rejects and ends the connection if the broker does not acknowledge the message in
     * time.
     */
    publish: async (topic: string, payload: string): Promise<void> => {
      const current = client;
      if (!current?.connected) throw new Error('not connected to the broker');
      const late = Promise.withResolvers<never>();
      const cancelLate = clock.after(STEP_MS, () => late.reject(new Error('the broker does not acknowledge')));
      try {
        await Promise.race([current.publishAsync(topic, payload, { qos: 1, retain: true }), late.promise]);
      } catch (error) {
        current.end(true);
        throw error;
      } finally {
        cancelLate();
      }
    },
    /** Disconnects, after publishing `last` if there is a connection. */
    stop: async (last: Will): Promise<void> => {
      isStopped = true;
      cancel();
      const current = client;
      if (!current) return;
      const done = Promise.withResolvers<void>();
      const cancelWait = clock.after(STEP_MS / 10, done.resolve);
      if (current.connected) current.publish(last.topic, last.payload, { qos: 1, retain: true }, () => done.resolve());
      else done.resolve();
      await done.promise;
      cancelWait();
      current.end(true);
    },
  };
};
export type Connection = ReturnType<typeof createConnection>;
