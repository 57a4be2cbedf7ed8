import { machine } from '../concurrency/machine.ts';
import type { TargetPolicy } from './addresses.ts';
import { leaseAgent, type Pool, type PoolOptions } from './agent-pool.ts';
import { exchange, type PostRequest } from './exchange.ts';
import { type Attempt, toAttempt } from './http-attempt.ts';
import { resolveName } from './resolve.ts';
import { checkUrl, type ResolveName } from './url-policy.ts';

type Client = { post: (request: PostRequest) => Promise<Attempt>; close: () => void };
export type ClientOptions = {
  policy: TargetPolicy;
  resolve?: ResolveName;
  deadlineMs: number;
  agentOptions?: PoolOptions['agentOptions'];
  now?: () => number;
};

/**
 * Creates an HTTP client for webhooks. `post` never rejects, connects to no address that the policy denies, follows no
 * redirects, verifies TLS, ends within `deadlineMs`, and reads at most 64 KiB of a response. Idle connections stay open for
 * 30 s; a request on a dead one is retried, so a receiver may get it twice. `close` ends all connections.
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
      for (const socket of Object.values(lease.agent.freeSockets).flat()) socket?.destroy();
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
