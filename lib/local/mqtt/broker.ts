import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Aedes, type AedesOptions } from 'aedes';
import type { Publish } from '#shared/aws/publish.ts';
import { deviceNotifier, type ForbiddenPublication } from '#shared/ingest/device-notifier.ts';
import type { Log } from '#shared/observability/log.ts';
import { listen } from '../http/listening.ts';
import type { Tls } from '../http/tls.ts';
import { limitPackets } from './connection.ts';
import { allows } from './rights.ts';
import { rejectionOf, type Sessions, type Turns } from './sessions.ts';

/**
 * The maximum number of bytes read from a packet. This exceeds the message limit, so a truncated message is rejected as
 * too large.
 */
const MAX_PACKET = 256 * 1_024;
/** The maximum size (bytes) of a connection's first packet. A CONNECT with a token needs a few hundred. */
const MAX_FIRST_PACKET = 8 * 1_024;
/** The maximum number of simultaneous connections. */
const MAX_CONNECTIONS = 10_000;
/** How long (ms) a connection may stay open without a CONNECT packet. */
const CONNECT_TIMEOUT = 10_000;

/** A topic that no client can subscribe to. Rejected messages are routed there so they can be acknowledged. */
const DISCARD_TOPIC = 'refused';

/** Returns the broker hooks. Each one decides based only on the client's session and permissions. */
const hooksOf = (
  sessions: Sessions,
  turns: Turns,
  onReject: (sensorId: string, reason: ForbiddenPublication) => void,
): AedesOptions => ({
  preConnect: (client, packet, done) => {
    sessions.noteWill(client, packet);
    // No session state is kept for a disconnected device. The device requests what it missed.
    packet.clean = true;
    done(null, true);
  },
  authenticate: (client, username, password, done) => {
    void sessions.open(client, { username, password }).then((error) => done(error, error === null));
  },
  authorizeSubscribe: (client, subscription, done) => {
    const rights = sessions.of(client)?.rights;
    const isAllowed = rights !== undefined && allows(rights, 'Subscribe', `topicfilter/${subscription.topic}`);
    done(null, isAllowed ? subscription : null);
  },
  authorizeForward: (client, packet) => {
    const rights = sessions.of(client)?.rights;
    return rights && allows(rights, 'Receive', `topic/${packet.topic}`) ? packet : null;
  },
  // The broker sends the acknowledgement after `done`.
  authorizePublish: (client, packet, done) => {
    const session = sessions.of(client);
    if (!client || !session) return done(new Error('the client is not authenticated'));
    if (sessions.isReplacedWill(client, packet)) return done(new Error('a newer connection replaced this one'));
    // The packet is not valid MQTT, so the connection ends:
    // https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718010
    if (/[\0\ufffd]/.test(packet.topic)) return done(new Error('the topic is not valid UTF-8, or contains NUL'));
    const reason = rejectionOf(session.rights, packet);
    if (reason !== null) {
      // MQTT 3.1.1 can only acknowledge the message or end the connection, after which clients would resend it forever.
      onReject(client.id, reason);
      Object.assign(packet, { topic: DISCARD_TOPIC, retain: false });
      return done();
    }
    turns.take(session, packet).then(() => done(), done);
  },
});

/**
 * Creates this host's counterpart to AWS IoT Core: MQTT 3.1.1 with QoS 0 and 1. A message is acknowledged only once it
 * has been accepted or permanently rejected. If it cannot be accepted now, the connection ends, so the device resends
 * it.
 */
export const createBroker = async (sessions: Sessions, turns: Turns, log: Log, tls: Tls | null) => {
  const limits = { connectTimeout: CONNECT_TIMEOUT, maxClientsIdLength: 128 };
  const reportRejection = (sensorId: string, reason: ForbiddenPublication): void => {
    log('info', 'rejected an MQTT message', { sensorId, reason });
    void deviceNotifier(publish, log).refuseMessage(sensorId, { reason });
  };
  const broker = await Aedes.createBroker({ ...limits, ...hooksOf(sessions, turns, reportRejection) });
  broker.on('clientDisconnect', sessions.close);
  for (const name of ['clientError', 'connectionError'] as const)
    broker.on(name, ({ id }, { message }) => log('info', 'an MQTT connection ended', { sensorId: id, why: message }));
  const handle = (socket: Socket) =>
    void broker.handle(limitPackets(socket.setNoDelay(), MAX_PACKET, MAX_FIRST_PACKET));
  const server = tls ? createTlsServer(tls.pair(), handle) : createServer(handle);
  if ('setSecureContext' in server) tls?.attach(server);
  server.maxConnections = MAX_CONNECTIONS;
  const publish: Publish = (topic, payload) =>
    new Promise((resolve, reject) => {
      const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
      broker.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  return {
    publish,
    /** Listens on a host's port. 0 picks a free one. Returns the URL. */
    listen: async (host: string, port: number): Promise<string> =>
      (await listen(server, { host, port, scheme: tls ? 'mqtts' : 'mqtt', variable: 'MQTT_PORT' })).local,
    /** Shuts down cleanly: messages in progress are finished and acknowledged, then all connections are closed. */
    stop: async (): Promise<void> => {
      server.close();
      await turns.settled();
      await new Promise<void>((resolve) => broker.close(resolve));
    },
  };
};
