import { BlockList, isIP } from 'node:net';

/** Gives the host of a URL in the form of resolvers and sockets: an IPv6 literal has no brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Gives the port of an http or https URL. */
export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Does a host always mean the machine that asks? It is an address, or a name without a final dot. */
export const isLoopback = (host: string): boolean => {
  const version = isIP(host);
  if (version === 0) return /^(?:.+\.)?localhost$/.test(host);
  return loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
};

/**
 * An address at which the service itself is reached: a host without a final dot, and its port, or null for all ports.
 */
export type Endpoint = { host: string; port: number | null };

const plain = (host: string): string => host.replace(/\.$/, '');

/**
 * Gives the endpoints of the service's own URLs; invalid and empty ones are left out. A name is denied on all ports, unless
 * its URL has a port. A numeric address and loopback are denied only on one port, because receivers may be there too.
 */
export const endpointsOf = (addresses: readonly string[]): Endpoint[] =>
  addresses
    .map((address) => URL.parse(address))
    .filter((url) => url !== null)
    .map((url) => {
      const host = plain(hostOf(url));
      const isOnePort = url.port !== '' || isIP(host) !== 0 || isLoopback(host);
      return { host, port: isOnePort ? portOf(url) : null };
    });

/** Do this host and port lead to one of these endpoints? The host is a name or an address as in a URL. */
export const isOwnEndpoint = (host: string, port: number, own: readonly Endpoint[] = []): boolean => {
  const name = plain(host);
  const isSame = (ownHost: string) => ownHost === name || (isLoopback(ownHost) && isLoopback(name));
  return own.some((endpoint) => (endpoint.port === null || endpoint.port === port) && isSame(endpoint.host));
};
