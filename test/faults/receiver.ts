import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { verify } from '#lib/client/verify.ts';
import { listen, type Received } from '#lib/home/receiver.ts';
import { uuidV5 } from '#shared/domain/ids.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';
import type { Receipt } from './check.ts';
import { responses } from './responses.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const own = { key: fixture('self-signed.key'), cert: fixture('self-signed.crt') };
/** The receiver's certificate, and two that must not be trusted. */
export const certificates = {
  good: own,
  expired: { key: own.key, cert: fixture('expired.crt') },
  stranger: { key: fixture('stranger.key'), cert: fixture('stranger.crt') },
} as const;
/** The name by which the receiver is called over TLS. */
export const RECEIVER_NAME = 'receiver.test';
/** The same receiver's name without TLS, which only a separate name server resolves. */
export const SLOW_NAME = 'slow.test';

/**
 * Whether `webhook-signature` is valid. The older signature is not checked, because it covers only the new secret
 * during a rotation, nor is the time, because the host's clock may be wrong.
 */
const isSigned = ({ headers, body }: Received, secret: string): Promise<boolean> =>
  verify(headers, body, secret, { tolerance: Number.POSITIVE_INFINITY }).then(
    () => true,
    () => false,
  );

type Payload = {
  event: { uuid: string; action: string; raw: { uuid?: string } };
  webhook: { id: string };
  customer: { id: number };
};

/** Whether an event has the uuid from the message, or the uuid that the service derives when a uuid is reused. */
const isOfMessage = ({ uuid, raw }: Payload['event']): boolean =>
  raw.uuid === uuid || (raw.uuid !== undefined && uuidV5(raw.uuid, JSON.stringify(raw)) === uuid);

const parsed = (text: string): Payload | null => {
  try {
    const { event, webhook, customer } = JSON.parse(text) as Partial<Payload>;
    return event && webhook && customer ? { event, webhook, customer } : null;
  } catch {
    return null;
  }
};

/**
 * Starts the customers' receivers, one per path `/{customerId}/...`, over HTTP and TLS. They misbehave as `chaos`
 * decides.
 */
export const startChaosReceiver = async (chaos: Chaos, now: () => number) => {
  const receipts: Receipt[] = [];
  const delivered = new Set<string>();
  const strays: string[] = [];
  const secrets = new Map<string, string>();
  const tokens = new Map<string, string>();
  const closed = new Set<string>();
  const down = new Set<string>();
  const acknowledging = new Map<string, string>();
  let isTlsBad = false;
  let unsigned = 0;

  const respond = (path: string, response: ServerResponse): boolean => {
    const { trouble, troubles = ['failure', 'cutBefore', 'failure'] } = chaos.rates();
    if (down.has(path)) return responses.failure(response, chaos.chance);
    if (chaos.strikes(trouble))
      return responses[oneOf(chaos.chance, troubles)](response, chaos.chance, `${urls.http}/trap`);
    response.end('ok');
    return true;
  };
  const handle = async (request: Received, response: ServerResponse): Promise<void> => {
    const path = response.req.url ?? '';
    const isTls = 'encrypted' in response.req.socket;
    if (closed.has(path) || path.startsWith('/trap') || (isTls && isTlsBad)) strays.push(`${path} was called`);
    const payload = parsed(request.body);
    if (!payload) {
      strays.push(`${path} received an unreadable body`);
      return void response.writeHead(400).end();
    }
    const { event, webhook, customer } = payload;
    const [, owner = ''] = path.split('/');
    if (String(customer.id) !== owner) strays.push(`${owner} received ${event.action} of ${customer.id}`);
    if (event.action === 'fall_detected' && !isOfMessage(event))
      strays.push(`${path} received ${event.uuid} without its bytes`);
    const token = tokens.get(path);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      strays.push(`${path} was called with an old token`);
    const secret = secrets.get(path);
    if (secret !== undefined && !(await isSigned(request, secret))) {
      unsigned += 1;
      return void response.writeHead(401).end();
    }
    const name = acknowledging.get(path);
    if (name !== undefined) response.setHeader('X-Acknowledged-By', name);
    if (!respond(path, response)) return;
    delivered.add(event.uuid);
    if (event.action !== 'fall_detected') return;
    const messageId = String(request.headers['webhook-id']);
    receipts.push({ uuid: event.uuid, webhookId: webhook.id, messageId, at: now(), customerId: Number(owner) });
  };
  const tls = createTlsServer(own);
  // Every connection to a receiver with a bad certificate counts as an injected fault.
  tls.on('connection', () => isTlsBad && chaos.note());
  const plain = await listen(createServer(), handle);
  const encrypted = await listen(tls, handle);
  const urls = {
    http: `http://127.0.0.1:${plain.port}`,
    tls: `https://${RECEIVER_NAME}:${encrypted.port}`,
    slow: `http://${SLOW_NAME}:${plain.port}`,
  };

  return {
    urls,
    receipts,
    /** The uuids of all events, whether falls or not, that a receiver has accepted since the world was created. */
    delivered,
    /** Requests that must not occur. */
    strays,
    /**
     * Per path: the signature secret, the request token, paths that must no longer be called, paths that always fail,
     * and the name used in responses to acknowledge alarms.
     */
    secrets,
    tokens,
    closed,
    down,
    acknowledging,
    /** The number of requests without a valid signature. */
    unsigned: () => unsigned,
    /**
     * Presents another certificate. A request that arrives while the certificate or name is bad means that the caller
     * did not verify it.
     */
    useCertificate: (which: keyof typeof certificates, isBad = which !== 'good'): void => {
      tls.setSecureContext(certificates[which]);
      tls.closeAllConnections();
      isTlsBad = isBad;
    },
    stop: () => Promise.all([plain.stop(), encrypted.stop()]),
  };
};
export type ChaosReceiver = Awaited<ReturnType<typeof startChaosReceiver>>;
