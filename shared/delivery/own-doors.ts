import { BlockList, isIP } from 'node:net';

/** The host of a URL as resolvers and sockets take it: an IPv6 literal without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

/** The port that a URL of http or https leads to. */
export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether a host, an address or a name without a final dot, is this machine wherever it is asked for. */
export const isLoopback = (host: string): boolean => {
  const version = isIP(host);
  if (version === 0) return /^(?:.+\.)?localhost$/.test(host);
  return loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
};

/** Where the service itself is reached: a host without a final dot, and its port; null: each port of it. */
export type Door = { host: string; port: number | null };

const plain = (host: string): string => host.replace(/\.$/, '');

/**
 * The doors behind addresses (URLs) of the service; empty ones are none. A name is closed on each port, unless its
 * address has one; a numeric address or loopback only on its one port, for receivers may be there too.
 */
export const doorsOf = (addresses: readonly string[]): Door[] =>
  addresses
    .map((address) => URL.parse(address))
    .filter((url) => url !== null)
    .map((url) => {
      const host = plain(hostOf(url));
      const isOnePort = url.port !== '' || isIP(host) !== 0 || isLoopback(host);
      return { host, port: isOnePort ? portOf(url) : null };
    });

/** Whether a host, by name or address as a URL has it, leads on this port to one of the doors. */
export const isOwnDoor = (host: string, port: number, own: readonly Door[] = []): boolean => {
  const name = plain(host);
  const isSame = (door: string) => door === name || (isLoopback(door) && isLoopback(name));
  return own.some((door) => (door.port === null || door.port === port) && isSame(door.host));
};
