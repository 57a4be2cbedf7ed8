import { BlockList, isIP } from 'node:net';

/** Returns the host in a URL as resolvers and sockets expect it, without brackets around IPv6 literals. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** Returns the port in an http or https URL. */
export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host (an IP address, or a name without a trailing dot) always means the calling machine. */
export const isLoopback = (host: string): boolean => {
  const version = isIP(host);
  if (version === 0) return /^(?:.+\.)?localhost$/.test(host);
  return loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
};

/** An address of the service itself, as a host without a trailing dot and its port, or null for all ports. */
export type Endpoint = { host: string; port: number | null };

const plain = (host: string): string => host.replace(/\.$/, '');

/**
 * Returns the endpoints for the URLs of the service itself, excluding invalid and empty URLs. A name covers all ports,
 * unless its URL has a port. Numeric addresses and loopback cover only one port, because receivers may use other ports
 * there.
 */
export const ownEndpoints = (addresses: readonly string[]): Endpoint[] =>
  addresses
    .map((address) => URL.parse(address))
    .filter((url) => url !== null)
    .map((url) => {
      const host = plain(hostOf(url));
      const isOnePort = url.port !== '' || isIP(host) !== 0 || isLoopback(host);
      return { host, port: isOnePort ? portOf(url) : null };
    });

/** Whether this host and port lead to one of these endpoints. The host is a name or an address as in a URL. */
export const isOwnEndpoint = (host: string, port: number, own: readonly Endpoint[] = []): boolean => {
  const name = plain(host);
  const isSame = (ownHost: string) => ownHost === name || (isLoopback(ownHost) && isLoopback(name));
  return own.some((endpoint) => (endpoint.port === null || endpoint.port === port) && isSame(endpoint.host));
};
