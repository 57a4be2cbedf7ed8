import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { machine } from '../concurrency/machine.ts';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { connectError, leaseAgent, type Pool, type PoolOptions } from './agent-pool.ts';
import { attachReader, createAnswerReader } from './answer-reader.ts';
import {
  type Attempt,
  classify,
  type ErrorClass,
  type Marks,
  type Observed,
  opensslCode,
  toAttempt,
} from './http-attempt.ts';
import { portOf } from './own-endpoints.ts';
import { resolveName } from './resolve.ts';
import { checkUrl, type ResolveName } from './url-policy.ts';

const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 4_096;

export type PostRequest = { url: string; headers: Record<string, string>; body: string | Uint8Array };
type Network = { policy: TargetPolicy; resolve: ResolveName; now: () => number };
type Send = PostRequest & { target: URL; agent: Agent; options: Network; signal: AbortSignal };

type Client = { post: (request: PostRequest) => Promise<Attempt>; close: () => void };
export type ClientOptions = {
  policy: TargetPolicy;
  resolve?: ResolveName;
  deadlineMs: number;
  agentOptions?: PoolOptions['agentOptions'];
  now?: () => number;
};

/**
 * Creates an HTTP client for webhooks. `post` never rejects, does not connect to addresses denied by the policy, does
 * not follow redirects, verifies TLS, ends within `deadlineMs`, and reads at most 64 KiB of a response. Idle
 * connections stay open for 30 s. A request on a dead connection is retried, so a receiver may get it twice. `close`
 * ends all connections.
 */
export function createHttpClient(clientOptions: ClientOptions): Client {
  const defaults = { resolve: resolveName, agentOptions: {}, now: machine.elapsed };
  const options = { ...defaults, ...clientOptions };
  const pool: Pool = new Map();
  const post = async (request: PostRequest): Promise<Attempt> => {
    const start = options.now();
    const checked = checkUrl(request.url, options.policy);
    if (!checked.ok) {
      const error = checked.reason === 'url_address' ? 'address_denied' : 'url_denied';
      return toAttempt({ marks: { start }, answer: null, body: [], error, reason: '', stale: false }, 0);
    }
    const lease = leaseAgent(pool, checked.url, options);
    const deadline = new AbortController();
    const cancelDeadline = machine.after(options.deadlineMs, () => deadline.abort());
    const send = { ...request, target: checked.url, agent: lease.agent, options, signal: deadline.signal };
    let observed = await exchange(send);
    if (observed.stale && pool.has(checked.url.origin)) {
      closeIdle(lease.agent);
      observed = await exchange(send);
    }
    cancelDeadline();
    lease.busy -= 1;
    return toAttempt(observed, options.now() - start);
  };
  const close = () => {
    for (const { agent } of pool.values()) agent.destroy();
    pool.clear();
  };
  return { post, close };
}

function closeIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

/** Sends a single request on a single connection. Resolves when both have ended, or at the deadline. */
function exchange(send: Send): Promise<Observed> {
  const { target, signal } = send;
  const { now } = send.options;
  const marks: Marks = { start: now() };
  const reader = createAnswerReader(() => {
    marks.head = now();
  });
  const observed: Observed = { marks, answer: reader.answer, body: [], error: null, reason: '', stale: false };
  let detach = () => {};
  return new Promise((done) => {
    const finish = (error: ErrorClass) => {
      reader.end('failure');
      detach();
      observed.error = reader.answer.isRefused ? 'protocol_error' : (observed.error ?? error);
      done(observed);
    };
    try {
      const request = start(send, marks);
      // The `signal` option of the request is not used, because destroying a request that waits for a connection emits
      // no event.
      signal.addEventListener('abort', () => {
        finish('timeout');
        request.destroy();
        // A firewall that dropped this connection has also dropped the idle ones, so the next attempt needs a new
        // connection.
        if (request.reusedSocket) closeIdle(send.agent);
      });
      request.once('socket', (socket) => {
        detach = attachReader(socket, reader);
        watch(socket, marks, now);
      });
      request.once('response', (response) => read(response, observed.body));
      request.on('error', (error) => {
        const code = 'code' in error ? String(error.code) : '';
        observed.error ??= classify(code, marks, request.reusedSocket, target);
        if (observed.error === 'tls_failed') observed.reason = opensslCode(error, code);
        const hasAnswer = reader.answer.start.length > 0;
        observed.stale = request.reusedSocket && !hasAnswer && observed.error === 'connection_reset';
      });
      request.once('close', () => finish('connection_reset'));
    } catch {
      // The request could not be created, for example because of invalid headers.
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
    lookup: checkedLookup(options, portOf(target), marks),
  });
  return request.end(bytes);
}

/** Creates a lookup that resolves a name once and fails if any resolved address is denied (DNS rebinding). */
function checkedLookup({ resolve, policy, now }: Network, port: number, marks: Marks): LookupFunction {
  const check = async (hostname: string) => {
    const addresses = await resolve(hostname).catch(() => []);
    marks.dns = now();
    const [first] = addresses;
    if (first === undefined) throw connectError('dns_failed');
    if (addresses.some((address) => isDenied(address, port, policy))) throw connectError('address_denied');
    return { first, all: addresses.map((address) => ({ address, family: isIP(address) })) };
  };
  return (hostname, { all }, callback) => {
    check(hostname).then(
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
  // A body that ends early does not change the result. The `close` event follows.
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, MAX_KEPT_BYTES - kept);
    if (part.length > 0) body.push(part);
    kept += part.length;
    total += chunk.length;
    if (total >= MAX_READ_BYTES) response.destroy();
  });
}
