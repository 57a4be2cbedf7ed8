import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSemaphore } from '../concurrency/semaphore.ts';
import { LOCAL_NAME, type ResolveName } from './url-policy.ts';

/** Two tries, of 2 s and 4 s. With a slower name server, the delivery attempt fails and is retried later. */
const QUERY = { timeout: 2_000, tries: 2 };
/**
 * The maximum number of concurrent system lookups. Each blocks one of the four threads the process also needs for files
 * and crypto.
 */
const MAX_SYSTEM_LOOKUPS = 2;
const HOSTS = '/etc/hosts';

/** Parses a hosts file into the addresses of each name. */
export const parseHosts = (text: string): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const name of names) found.set(name, [...(found.get(name) ?? []), address]);
  }
  return found;
};

const readHosts = (): string => {
  try {
    return readFileSync(HOSTS, 'utf8');
  } catch {
    return '';
  }
};

/**
 * Creates a name resolver. It uses the hosts file as of the first call, the system lookup for local names, and name
 * servers (A and AAAA concurrently) for all others. These queries do not block threads, and each lookup has separate
 * sockets, so slow names do not delay other names or anything else in the process. `servers` replaces the system name
 * servers.
 */
export const createResolver = (servers?: readonly string[]): ResolveName => {
  const { acquire } = createSemaphore(MAX_SYSTEM_LOOKUPS, () => null);
  let hosts: ReturnType<typeof parseHosts> | undefined;

  const bySystem: ResolveName = async (name) => {
    const permit = await acquire('', () => new Promise(() => {}));
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } finally {
      permit?.release();
    }
  };
  const byServers: ResolveName = async (name) => {
    // Each name gets a new resolver, because a resolver measures name servers and shortens timeouts accordingly.
    const resolver = new Resolver(QUERY);
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    hosts ??= parseHosts(readHosts());
    return hosts.get(name) ?? (LOCAL_NAME.test(name) ? bySystem(name) : byServers(name));
  };
};

/** Returns all addresses of a name as resolved by this machine. */
export const resolveName: ResolveName = createResolver();
