import type { AuthenticateError, Client, ConnectPacket, PublishPacket } from 'aedes';
import type { AuthorizerResponse } from '#functions/workers/authorizer/policy.ts';
import type { ForbiddenPublication } from '#shared/ingest/device-notifier.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Clock } from '../clock.ts';
import { type Authorize, allows, authorizerEvent, keepAuthorized } from './rights.ts';

/** https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718035 */
const returnCodes = { identifier: 2, unavailable: 3, credentials: 4, will: 5 } as const;
const refusal = (code: keyof typeof returnCodes): AuthenticateError =>
  Object.assign(new Error(code), { returnCode: returnCodes[code] });

type Session = { rights: AuthorizerResponse; stop: () => void; last: Promise<void> };
type Credentials = { username: string | undefined; password: Uint8Array | undefined };

/** Returns why a packet is rejected. Null if it is allowed. */
export const rejectionOf = (
  rights: AuthorizerResponse,
  { topic, retain, qos }: Pick<PublishPacket, 'topic'> & Partial<PublishPacket>,
): ForbiddenPublication | null => {
  if (!allows(rights, 'Publish', `topic/${topic}`)) return 'topic';
  if (retain && !allows(rights, 'RetainPublish', `topic/${topic}`)) return 'retained';
  return qos === 2 ? 'qos' : null;
};

/** Keeps the connected clients with their permissions. */
export const createSessions = (authorize: Authorize, { clock, log }: { clock: Clock; log: Log }) => {
  const sessions = new WeakMap<Client, Session>();
  const wills = new WeakMap<Client, ConnectPacket['will']>();
  /** The most recent client admitted under each client id. */
  const newest = new Map<string, Client>();
  const end = (client: Client) => (why: string) => {
    log('info', 'closed an MQTT connection', { sensorId: client.id, why });
    client.close();
  };
  return {
    of: (client: Client | null): Session | undefined => (client ? sessions.get(client) : undefined),
    /** Remembers the last will from a connecting client. */
    noteWill: (client: Client, { will }: ConnectPacket): void => void wills.set(client, will),
    /**
     * Whether a message is the last will from a connection replaced by a newer one. The device is connected, so it must
     * not be reported as offline.
     */
    isReplacedWill: (client: Client, packet: object): boolean =>
      wills.get(client) === packet && newest.get(client.id) !== client,
    /** Admits a client and returns null, or returns the error for the client. */
    open: async (client: Client, { username, password }: Credentials): Promise<AuthenticateError | null> => {
      const event = authorizerEvent({ clientId: client.id, username, password });
      const rights = await authorize(event).catch((error: unknown) =>
        log('error', 'the MQTT authorizer failed', {}, error),
      );
      if (!rights) return refusal('unavailable');
      if (!rights.isAuthenticated) return refusal('credentials');
      if (!allows(rights, 'Connect', `client/${client.id}`)) return refusal('identifier');
      const will = wills.get(client);
      const reason = will ? rejectionOf(rights, will) : null;
      if (reason !== null) {
        log('info', 'rejected an MQTT connection because of its last will', { sensorId: client.id, reason });
        return refusal('will');
      }
      const stop = keepAuthorized({ rights, authorize: () => authorize(event), clock, end: end(client) });
      sessions.set(client, { rights, stop, last: Promise.resolve() });
      newest.set(client.id, client);
      return null;
    },
    close: (client: Client): void => {
      sessions.get(client)?.stop();
      if (newest.get(client.id) === client) newest.delete(client.id);
    },
  };
};
export type Sessions = ReturnType<typeof createSessions>;

/** Processes each device's published messages one at a time, in order. */
export const createTurns = (take: (event: Published) => Promise<void>, now: () => number) => {
  const running = new Set<Promise<void>>();
  return {
    take: (session: Session, { topic, payload }: PublishPacket): Promise<void> => {
      const event: Published = {
        sensorId: topic.split('/').at(-2) ?? '',
        principal: session.rights.principalId,
        receiveDate: now(),
        isCurrent: true,
        payload: Buffer.from(payload).toString('base64'),
      };
      const turn = session.last.then(() => take(event));
      const done = turn.catch(() => {}).finally(() => running.delete(done));
      running.add(done);
      session.last = done;
      return turn;
    },
    /** Resolves when the messages in progress are done. */
    settled: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
};
export type Turns = ReturnType<typeof createTurns>;
