import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { isDenied, type TargetPolicy } from './addresses.ts';
import { hostOf, portOf } from './own-endpoints.ts';

const MAX_ORIGINS = 50;

export type PoolOptions = {
  policy: TargetPolicy;
  agentOptions: Pick<AgentOptions, 'ca' | 'maxSockets' | 'maxFreeSockets' | 'timeout'>;
};
type Lease = { agent: HttpAgent; busy: number };
export type Pool = Map<string, Lease>;

/** The error of a connection that is not made. */
export const problem = (code: 'address_denied' | 'dns_failed') => Object.assign(new Error(code), { code });

/** Gives the agent of an origin. Beyond MAX_ORIGINS idle ones are destroyed, the least recently used one first. */
export function take(pool: Pool, target: URL, options: PoolOptions): Lease {
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

function vettedAgent(target: URL, { agentOptions, policy }: PoolOptions): HttpAgent {
  // Several webhooks, each of which has 5 requests at a time, may be at one receiver. As many idle connections as 5 made a
  // tenth of the work of ten recipients: the others were closed, and opened again by the next alarm.
  const maxFreeSockets = 10;
  // Node's default of 250 ms for each of several addresses is too short for distant receivers.
  const settings = { keepAlive: true, maxFreeSockets, autoSelectFamilyAttemptTimeout: 1_000, timeout: 30_000 };
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
