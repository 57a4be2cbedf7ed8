import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { hostOf, portOf } from './own-endpoints.ts';

const MAX_ORIGINS = 50;

export type PoolOptions = {
  policy: TargetPolicy;
  agentOptions: Pick<AgentOptions, 'ca' | 'secureContext' | 'maxSockets' | 'maxFreeSockets' | 'timeout'>;
};
type Lease = { agent: HttpAgent; busy: number };
export type Pool = Map<string, Lease>;

/** Returns the error for a connection that is refused before it is made. */
export const connectError = (code: 'address_denied' | 'dns_failed') => Object.assign(new Error(code), { code });

/** Returns the agent for an origin. Beyond MAX_ORIGINS agents, idle ones are destroyed, least recently used first. */
export function leaseAgent(pool: Pool, target: URL, options: PoolOptions): Lease {
  const lease = pool.get(target.origin) ?? { agent: createAgent(target, options), busy: 0 };
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

function createAgent(target: URL, { agentOptions, policy }: PoolOptions): HttpAgent {
  // Many webhooks, with 5 concurrent requests each, may share a receiver, and their requests leave in bursts. With a
  // lower limit, more connections are closed and then reopened for the next alarm, which takes up to a tenth of the
  // total work.
  const maxFreeSockets = 100;
  // The default of 250 ms per address is too short for distant receivers.
  const settings = { keepAlive: true, maxFreeSockets, autoSelectFamilyAttemptTimeout: 1_000, timeout: 30_000 };
  const host = hostOf(target);
  // Certificate names have no trailing dot, and TLS does not send addresses as server names.
  const tls = { servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '', rejectUnauthorized: true };
  const Agent = target.protocol === 'https:' ? HttpsAgent : HttpAgent;
  const agent = new Agent({ ...settings, ...agentOptions, ...tls });
  const create = agent.createConnection.bind(agent);
  // Every connection is made here. The remote address is checked again before anything is sent, including the TLS
  // handshake.
  agent.createConnection = (options, callback) => {
    const socket = create(options, callback) as Socket;
    return socket.prependOnceListener('connect', () => {
      if (isDenied(socket.remoteAddress ?? '', portOf(target), policy)) socket.destroy(connectError('address_denied'));
    });
  };
  return agent;
}
