import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Aedes, type AedesOptions } from 'aedes';
import type { Log } from '../../../shared/log.ts';
import type { Publish } from '../../../shared/publish.ts';
import { bounded } from './connection.ts';
import { allows } from './rights.ts';
import { forbidden, type Sessions, type Turns } from './sessions.ts';

/** Bytes of a packet that are gathered: above, a connection ends. */
const PACKET = 256 * 1_024;
/** Connections at a time. */
const CONNECTIONS = 10_000;
/** How long (ms) somebody may be connected without a CONNECT. */
const PATIENCE = 10_000;

/** What the broker asks, and of whom: the rights decide alone. */
const hooksOf = (sessions: Sessions, turns: Turns): AedesOptions => ({
  preConnect: (_, packet, done) => {
    // Nothing is kept for who is away: what a device would miss it asks for.
    packet.clean = true;
    done(null, true);
  },
  authenticate: (client, username, password, done) => {
    void sessions.open(client, username, password).then((error) => done(error, error === null));
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
  // The acknowledgement follows it.
  authorizePublish: (client, packet, done) => {
    const session = sessions.of(client);
    const why = session ? forbidden(session.rights, packet) : 'it is nobody';
    if (!session || why !== null) return done(new Error(why ?? ''));
    turns.take(session, packet).then(() => done(), done);
  },
});

/**
 * AWS IoT Core on this host, as far as devices see it: MQTT 3.1.1 with QoS 0 and 1. What is published is acknowledged
 * only once it was taken, or refused for good; what cannot be taken now ends its connection, so that it comes again.
 */
export const createBroker = async (sessions: Sessions, turns: Turns, log: Log) => {
  const limits = { connectTimeout: PATIENCE, maxClientsIdLength: 128 };
  const broker = await Aedes.createBroker({ ...limits, ...hooksOf(sessions, turns) });
  broker.on('clientDisconnect', sessions.close);
  for (const name of ['clientError', 'connectionError'] as const)
    broker.on(name, ({ id }, { message }) => log('info', 'a connection of MQTT ended', { sensorId: id, why: message }));
  const server = createServer((socket) => void broker.handle(bounded(socket.setNoDelay(), PACKET)));
  server.maxConnections = CONNECTIONS;
  const publish: Publish = (topic, payload) =>
    new Promise((resolve, reject) => {
      const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const;
      broker.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  return {
    publish,
    /** Opens its door on a port, 0 for any that is free; gives its address. */
    listen: async (port: number): Promise<string> => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    /** Ends it: what was begun is finished and acknowledged, and nobody stays connected. */
    stop: async (): Promise<void> => {
      server.close();
      await turns.settled();
      await new Promise<void>((resolve) => broker.close(resolve));
    },
  };
};
