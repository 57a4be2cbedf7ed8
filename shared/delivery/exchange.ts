import { type Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { connectError } from './agent-pool.ts';
import { attachReader, createAnswerReader } from './answer-reader.ts';
import { classify, type ErrorClass, type Marks, type Observed, opensslCode } from './http-attempt.ts';
import { portOf } from './own-endpoints.ts';
import type { ResolveName } from './url-policy.ts';

const MAX_READ_BYTES = 65_536;
const MAX_KEPT_BYTES = 4_096;

export type PostRequest = { url: string; headers: Record<string, string>; body: string | Uint8Array };
type Network = { policy: TargetPolicy; resolve: ResolveName; now: () => number };
type Send = PostRequest & { target: URL; agent: Agent; options: Network; signal: AbortSignal };

/** Sends one request on one connection. Resolves when both have ended, or at the deadline. */
export function exchange(send: Send): Promise<Observed> {
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
      // Not the `signal` of the request: destroying a request that waits for a connection emits nothing.
      signal.addEventListener('abort', () => {
        finish('timeout');
        request.destroy();
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

/** Creates a lookup that resolves a name once and fails if any of its addresses is denied (DNS rebinding). */
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
  // A body that ends early does not change the result. The `close` of the request follows.
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, MAX_KEPT_BYTES - kept);
    if (part.length > 0) body.push(part);
    kept += part.length;
    total += chunk.length;
    if (total >= MAX_READ_BYTES) response.destroy();
  });
}
