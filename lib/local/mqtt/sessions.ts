import type { AuthenticateError, Client, PublishPacket } from 'aedes';
import type { AuthorizerResponse } from '#functions/workers/authorizer/policy.ts';
import type { ForbiddenPublication } from '#shared/ingest/device-notifier.ts';
import type { Log } from '#shared/observability/log.ts';
import type { Published } from '#shared/queue/mqtt.ts';
import type { Clock } from '../clock.ts';
import { type Authorize, allows, authorizerEvent, keepAuthorized } from './rights.ts';

/** https://docs.oasis-open.org/mqtt/mqtt/v3.1.1/os/mqtt-v3.1.1-os.html#_Toc398718035 */
const returnCodes = { identifier: 2, unavailable: 3, credentials: 4 } as const;
const refusal = (code: keyof typeof returnCodes): AuthenticateError =>
  Object.assign(new Error(code), { returnCode: returnCodes[code] });

type Session = { rights: AuthorizerResponse; stop: () => void; last: Promise<void> };

/** Returns why a packet is rejected; null if it is allowed. */
export const rejectionOf = (
  rights: AuthorizerResponse,
  { topic, retain, qos }: PublishPacket,
): ForbiddenPublication | null => {
  if (!allows(rights, 'Publish', `topic/${topic}`)) return 'topic';
  if (retain && !allows(rights, 'RetainPublish', `topic/${topic}`)) return 'retained';
  return qos === 2 ? 'qos' : null;
};

/** Keeps the connected clients with their rights. */
export const createSessions = (authorize: Authorize, { clock, log }: { clock: Clock; log: Log }) => {
  const sessions = new WeakMap<Client, Session>();
  const end = (client: Client) => (why: string) => {
    log('info', 'closed an MQTT connection', { sensorId: client.id, why });
    client.close();
  };
  return {
    of: (client: Client | null): Session | undefined => (client ? sessions.get(client) : undefined),
    /** Admits a client and returns null, or returns the error that the client gets. */
    open: async (client: Client, username?: string, password?: Uint8Array): Promise<AuthenticateError | null> => {
      const event = authorizerEvent({ clientId: client.id, username, password });
      const rights = await authorize(event).catch((error: unknown) =>
        log('error', 'the MQTT authorizer failed', {}, error),
      );
      if (!rights) return refusal('unavailable');
      if (!rights.isAuthenticated) return refusal('credentials');
      if (!allows(rights, 'Connect', `client/${client.id}`)) return refusal('identifier');
      const stop = keepAuthorized({ rights, authorize: () => authorize(event), clock, end: end(client) });
      sessions.set(client, { rights, stop, last: Promise.resolve() });
      return null;
    },
    close: (client: Client): void => sessions.get(client)?.stop(),
  };
};
export type Sessions = ReturnType<typeof createSessions>;

/** Processes published messages: those of a device one after the other, to keep their order. */
export const createTurns = (take: (event: Published) => Promise<void>, now: () => number) => {
  const running = new Set<Promise<void>>();
  return {
    take: (session: Session, { topic, payload }: PublishPacket): Promise<void> => {
      const event: Published = {
        sensorId: topic.split('/').at(-2) ?? '',
        principal: session.rights.principalId,
        receiveDate: now(),
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
