import { lookup, Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSemaphore } from '../concurrency/semaphore.ts';
import { LOCAL_NAME, type Resolve } from './url-policy.ts';

/** Two tries of 2 s and 4 s: a slow name server has answered by then, or the attempt has better things to do. */
const QUERY = { timeout: 2_000, tries: 2 };
/** The system's lookup blocks a thread of the four that this process has for files and keys too. */
const SYSTEM_LOOKUPS = 2;
const HOSTS = '/etc/hosts';

/** The addresses that a hosts file has for each name. */
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
 * A resolver of names: from the hosts file as it was at the first call, local names by the system, and all others by
 * asking the name servers, A and AAAA side by side. Those questions wait on sockets, each lookup on its own: however many
 * names are slow, none of the others is, nor anything else that this process does. `servers`: others than the system's.
 */
export const createResolve = (servers?: readonly string[]): Resolve => {
  const { acquire } = createSemaphore(SYSTEM_LOOKUPS, () => null);
  let hosts: ReturnType<typeof parseHosts> | undefined;

  const bySystem: Resolve = async (name) => {
    const permit = await acquire('', () => new Promise(() => {}));
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } finally {
      permit?.release();
    }
  };
  const byServers: Resolve = async (name) => {
    // A resolver learns how quick its servers are, and soon gives up on what takes longer: one for each name.
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

/** All addresses that a name has for this machine. */
export const resolveAll: Resolve = createResolve();
