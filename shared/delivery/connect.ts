import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { machine } from '../concurrency/machine.ts';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { hostOf, portOf } from './own-endpoints.ts';
import { resolveAll } from './resolve.ts';
import { checkUrl, type Resolve } from './url-policy.ts';

/** Why an attempt got no status line. The words must not change: the retry schedule and the delivery log use them. */
export type ErrorClass =
  | 'url_denied'
  | 'address_denied'
  | 'dns_failed'
  | 'connect_refused'
  | 'connect_failed'
  | 'tls_failed'
  | 'connection_reset'
  | 'protocol_error'
  | 'timeout';

/** How long each phase took in ms. It is null if the phase did not happen, as on a connection that was kept open. */
export type Timings = { dns: number | null; connect: number | null; tls: number | null; firstByte: number | null };

/**
 * The result of one POST. Exactly one of `status` and `error` is null: once there is a status line, trouble with the
 * body is no error. `responseBody` is the text of its first 4 KiB; `retryAfter` is the header as received.
 */
export type Attempt = {
  status: number | null;
  error: ErrorClass | null;
  responseBody: string;
  retryAfter: string | null;
  durationMs: number;
  timings: Timings;
};

export type PostRequest = { url: string; headers: Record<string, string>; body: string | Uint8Array };
export type Client = { post: (request: PostRequest) => Promise<Attempt>; close: () => void };
export type ClientOptions = {
  policy: TargetPolicy;
  resolve?: Resolve;
  deadlineMs: number;
  agentOptions?: Pick<AgentOptions, 'ca' | 'maxSockets' | 'maxFreeSockets' | 'timeout'>;
  now?: () => number;
};

type Marks = { start: number; dns?: number; connect?: number; tls?: number; head?: number };
type Seen = {
  marks: Marks;
  response: IncomingMessage | null;
  body: Buffer[];
  error: ErrorClass | null;
  stale: boolean;
};
type Send = PostRequest & { target: URL; agent: HttpAgent; options: Required<ClientOptions>; signal: AbortSignal };
type Lease = { agent: HttpAgent; busy: number };

const READ_BYTES = 65_536;
const KEPT_BYTES = 4_096;
const MAX_ORIGINS = 50;

const problem = (code: 'address_denied' | 'dns_failed') => Object.assign(new Error(code), { code });

/**
 * Makes an HTTP client for webhooks. `post` never rejects, connects to no address that the policy denies, follows no
 * redirect, verifies TLS, ends within `deadlineMs`, and reads at most 64 KiB of an answer. Idle connections stay open
 * for 30 s; a request on a dead one is sent once more, so a receiver may get it twice. `close` ends all connections.
 */
export function createClient(given: ClientOptions): Client {
  const defaults = { resolve: resolveAll, agentOptions: {}, now: machine.elapsed };
  const options = { ...defaults, ...given };
  const pool = new Map<string, Lease>();
  const post = async (request: PostRequest): Promise<Attempt> => {
    const start = options.now();
    const checked = checkUrl(request.url, options.policy);
    if (!checked.ok) {
      const error = checked.reason === 'url_address' ? 'address_denied' : 'url_denied';
      return toAttempt({ marks: { start }, response: null, body: [], error, stale: false }, 0);
    }
    const lease = take(pool, checked.url, options);
    const deadline = new AbortController();
    const cancelDeadline = machine.after(options.deadlineMs, () => deadline.abort());
    const send = { ...request, target: checked.url, agent: lease.agent, options, signal: deadline.signal };
    let seen = await exchange(send);
    if (seen.stale && pool.has(checked.url.origin)) {
      for (const socket of Object.values(lease.agent.freeSockets).flat()) socket?.destroy();
      seen = await exchange(send);
    }
    cancelDeadline();
    lease.busy -= 1;
    return toAttempt(seen, options.now() - start);
  };
  const close = () => {
    for (const { agent } of pool.values()) agent.destroy();
    pool.clear();
  };
  return { post, close };
}

/** Sends one request on one connection. It resolves when both are done, or at the deadline. */
function exchange(send: Send): Promise<Seen> {
  const { target, signal } = send;
  const { now } = send.options;
  const marks: Marks = { start: now() };
  const seen: Seen = { marks, response: null, body: [], error: null, stale: false };
  return new Promise((done) => {
    const finish = (error: ErrorClass) => {
      seen.error ??= error;
      done(seen);
    };
    try {
      const request = start(send, marks);
      // Destroying a request that waits for a connection emits nothing, so its own `signal` would not do.
      signal.addEventListener('abort', () => {
        finish('timeout');
        request.destroy();
      });
      request.once('socket', (socket) => watch(socket, marks, now));
      request.once('response', (response) => {
        marks.head = now();
        seen.response = response;
        read(response, seen.body);
      });
      request.on('error', (error) => {
        const code = 'code' in error ? String(error.code) : '';
        seen.error ??= classify(code, marks, request.reusedSocket, target);
        seen.stale = request.reusedSocket && !seen.response && seen.error === 'connection_reset';
      });
      request.once('close', () => finish('connection_reset'));
    } catch {
      // The request could not be made, for example because of invalid headers.
      finish('protocol_error');
    }
  });
}

function start({ target, headers, body, agent, options }: Send, marks: Marks) {
  const bytes = Buffer.from(body);
  const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
    method: 'POST',
    agent,
    headers: { ...headers, 'Accept-Encoding': 'identity', 'Content-Length': bytes.byteLength },
    lookup: vettedLookup(options, portOf(target), marks),
  });
  return request.end(bytes);
}

/** Resolves a name once, and gives all its addresses or none: one denied address refuses them all (DNS rebinding). */
function vettedLookup({ resolve, policy, now }: Required<ClientOptions>, port: number, marks: Marks): LookupFunction {
  const vet = async (hostname: string) => {
    const addresses = await resolve(hostname).catch(() => []);
    marks.dns = now();
    const [first] = addresses;
    if (first === undefined) throw problem('dns_failed');
    if (addresses.some((address) => isDenied(address, port, policy))) throw problem('address_denied');
    return { first, all: addresses.map((address) => ({ address, family: isIP(address) })) };
  };
  return (hostname, { all }, callback) => {
    vet(hostname).then(
      (found) => (all ? callback(null, found.all) : callback(null, found.first, isIP(found.first))),
      (error) => callback(error, []),
    );
  };
}

function watch(socket: Socket, marks: Marks, now: () => number): void {
  if (!socket.connecting) return;
  socket.once('connect', () => {
    marks.connect = now();
  });
  socket.once('secureConnect', () => {
    marks.tls = now();
  });
}

function read(response: IncomingMessage, body: Buffer[]): void {
  let kept = 0;
  let total = 0;
  // A body that ends early does not change the result. The request's `close` follows.
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, KEPT_BYTES - kept);
    if (part.length > 0) body.push(part);
    kept += part.length;
    total += chunk.length;
    if (total >= READ_BYTES) response.destroy();
  });
}

function classify(code: string, marks: Marks, reused: boolean, target: URL): ErrorClass {
  if (code === 'address_denied' || code === 'dns_failed') return code;
  if (code === 'ETIMEDOUT') return 'timeout';
  if (!reused && marks.connect === undefined) return code === 'ECONNREFUSED' ? 'connect_refused' : 'connect_failed';
  if (!reused && marks.tls === undefined && target.protocol === 'https:') return 'tls_failed';
  return code === 'ECONNRESET' || code === 'EPIPE' ? 'connection_reset' : 'protocol_error';
}

function toAttempt({ marks, response, body, error }: Seen, duration: number): Attempt {
  const took = (end: number | undefined, begin: number) => (end === undefined ? null : Math.round(end - begin));
  return {
    status: response?.statusCode ?? null,
    error: response ? null : error,
    // With `stream`, a character that is cut at 4 KiB is left out.
    responseBody: new TextDecoder().decode(Buffer.concat(body), { stream: true }),
    retryAfter: response?.headers['retry-after'] ?? null,
    durationMs: Math.round(duration),
    timings: {
      dns: took(marks.dns, marks.start),
      connect: took(marks.connect, marks.dns ?? marks.start),
      tls: took(marks.tls, marks.connect ?? marks.start),
      firstByte: took(marks.head, marks.tls ?? marks.connect ?? marks.start),
    },
  };
}

/** Gives the agent of an origin. Beyond MAX_ORIGINS idle ones are destroyed, the least recently used one first. */
function take(pool: Map<string, Lease>, target: URL, options: Required<ClientOptions>): Lease {
  const lease = pool.get(target.origin) ?? { agent: vettedAgent(target, options), busy: 0 };
  lease.busy += 1;
  pool.delete(target.origin);
  pool.set(target.origin, lease);
  for (const [origin, { agent, busy }] of pool) {
    if (pool.size <= MAX_ORIGINS) break;
    if (busy > 0) continue;
    agent.destroy();
    pool.delete(origin);
  }
  return lease;
}

function vettedAgent(target: URL, { agentOptions, policy }: Required<ClientOptions>): HttpAgent {
  // Node's default of 250 ms for each of several addresses is too short for distant receivers.
  const settings = { keepAlive: true, maxFreeSockets: 5, autoSelectFamilyAttemptTimeout: 1_000, timeout: 30_000 };
  const host = hostOf(target);
  // Names in certificates have no final dot, and TLS does not send an address as the server name.
  const tls = { servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '', rejectUnauthorized: true };
  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ ...settings, ...agentOptions, ...tls });
  const create = agent.createConnection.bind(agent);
  // Every connection is made here. Its remote address is checked again before anything else happens, even TLS.
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback) as Socket;
    return socket.prependOnceListener('connect', () => {
      if (isDenied(socket.remoteAddress ?? '', portOf(target), policy)) socket.destroy(problem('address_denied'));
    });
  };
  return agent;
}
