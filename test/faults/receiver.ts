import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answers } from './answers.ts';
import { oneOf } from './chance.ts';
import type { Chaos } from './chaos.ts';
import type { Receipt } from './check.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');
const own = { key: fixture('self-signed.key'), cert: fixture('self-signed.crt') };
/** The certificate of the receiver, and two that must not be trusted. */
export const certificates = {
  good: own,
  expired: { key: own.key, cert: fixture('expired.crt') },
  stranger: { key: fixture('stranger.key'), cert: fixture('stranger.crt') },
} as const;
/** The name by which the receiver is called over TLS. */
export const RECEIVER_NAME = 'receiver.test';
/** The name of the same receiver without TLS, which only a separate name server resolves. */
export const SLOW_NAME = 'slow.test';

const listen = async (server: ReturnType<typeof createServer>): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const isSigned = (secret: string, { headers }: IncomingMessage, body: Buffer): boolean => {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  const mac = createHmac('sha256', secret).update(signed).update(body).digest('base64');
  return String(headers['webhook-signature']).split(' ').includes(`v1,${mac}`);
};

type Told = {
  event: { uuid: string; action: string; raw: { uuid?: string } };
  webhook: { id: string };
  customer: { id: number };
};

const parsed = (text: string): Told | null => {
  try {
    const { event, webhook, customer } = JSON.parse(text) as Partial<Told>;
    return event && webhook && customer ? { event, webhook, customer } : null;
  } catch {
    return null;
  }
};

/**
 * Starts the receivers of customers, one for each path `/{customerId}/...`, over HTTP and TLS. They misbehave as
 * `chaos` decides.
 */
export const startChaosReceiver = async (chaos: Chaos, now: () => number) => {
  const receipts: Receipt[] = [];
  const heard = new Set<string>();
  const strays: string[] = [];
  const secrets = new Map<string, string>();
  const tokens = new Map<string, string>();
  const closed = new Set<string>();
  const down = new Set<string>();
  const acknowledging = new Map<string, string>();
  let isTlsBad = false;
  let unsigned = 0;

  const answer = (path: string, response: ServerResponse): boolean => {
    const { trouble, troubles = ['failure', 'cutBefore', 'failure'] } = chaos.rates();
    if (down.has(path)) return answers.failure(response, chaos.chance);
    if (chaos.strikes(trouble))
      return answers[oneOf(chaos.chance, troubles)](response, chaos.chance, `${urls.http}/trap`);
    response.end('ok');
    return true;
  };
  const take = (request: IncomingMessage, body: Buffer, response: ServerResponse): void => {
    const path = request.url ?? '';
    const isTls = 'encrypted' in request.socket;
    if (closed.has(path) || path.startsWith('/trap') || (isTls && isTlsBad)) strays.push(`${path} was called`);
    const told = parsed(body.toString('utf8'));
    if (!told) {
      strays.push(`${path} was told what it can't read`);
      return void response.writeHead(400).end();
    }
    const { event, webhook, customer } = told;
    const [, owner = ''] = path.split('/');
    if (String(customer.id) !== owner) strays.push(`${owner} heard of ${event.action} of ${customer.id}`);
    if (event.action === 'fall_detected' && event.raw.uuid !== event.uuid)
      strays.push(`${path} was told of ${event.uuid} without its bytes`);
    const token = tokens.get(path);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      strays.push(`${path} was called with a token of before`);
    const secret = secrets.get(path);
    if (secret !== undefined && !isSigned(secret, request, body)) {
      unsigned += 1;
      return void response.writeHead(401).end();
    }
    const who = acknowledging.get(path);
    if (who !== undefined) response.setHeader('X-Acknowledged-By', who);
    if (!answer(path, response)) return;
    heard.add(event.uuid);
    if (event.action !== 'fall_detected') return;
    const messageId = String(request.headers['webhook-id']);
    receipts.push({ uuid: event.uuid, webhookId: webhook.id, messageId, at: now(), customerId: Number(owner) });
  };
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => take(request, Buffer.concat(chunks), response));
    request.on('error', () => {});
  };
  const servers = { http: createServer(listener), tls: createTlsServer(own, listener) };
  // Every connection to a receiver with a bad certificate counts as an injected fault.
  servers.tls.on('connection', () => isTlsBad && chaos.note());
  const ports = { http: await listen(servers.http), tls: await listen(servers.tls) };
  const urls = {
    http: `http://127.0.0.1:${ports.http}`,
    tls: `https://${RECEIVER_NAME}:${ports.tls}`,
    slow: `http://${SLOW_NAME}:${ports.http}`,
  };

  return {
    urls,
    receipts,
    /** The uuids of all events that a receiver took, of falls and others, since the world began. */
    heard,
    /** Errors of requests that must not happen. */
    strays,
    /**
     * Per path: the secret of the signature, the token of the request, paths that must not be called any more, paths that
     * always fail, and who takes care of what a path is told of, as its answers say.
     */
    secrets,
    tokens,
    closed,
    down,
    acknowledging,
    /** The number of requests without a valid signature. */
    unsigned: () => unsigned,
    /**
     * Shows another certificate. A request that arrives while the certificate or the name is bad means that the
     * caller did not verify it.
     */
    useCertificate: (which: keyof typeof certificates, isBad = which !== 'good'): void => {
      servers.tls.setSecureContext(certificates[which]);
      servers.tls.closeAllConnections();
      isTlsBad = isBad;
    },
    stop: async () => {
      for (const server of Object.values(servers)) {
        const gone = once(server, 'close');
        server.close();
        server.closeAllConnections();
        await gone;
      }
    },
  };
};
export type ChaosReceiver = Awaited<ReturnType<typeof startChaosReceiver>>;
