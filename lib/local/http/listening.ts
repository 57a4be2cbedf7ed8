import { once } from 'node:events';
import { type AddressInfo, isIP, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Addresses that mean every address of the machine. */
const everywhere = ['0.0.0.0', '::'];

/** Can only this machine reach what listens on this host? */
export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/i.test(host);

/** The addresses of the machine that others may reach, those of IPv4 first. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);

const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** Where a server listens. `variable`: the setting of the port, which is 0 for any free one. */
type At = { host: string; port: number; scheme: string; variable: string };

/** A port that something else has, or a host that is none of this machine, by the name of its variable. */
const explain = (error: NodeJS.ErrnoException, { host, port, variable }: Omit<At, 'scheme'>): Error => {
  if (error.code === 'EADDRINUSE') return new Error(`${variable}: something else listens on port ${port} of ${host}`);
  if (error.code === 'EACCES') return new Error(`${variable}: this user may not listen on port ${port}`);
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return new Error(`HOST: ${host} is no address or name of this machine`);
  return error;
};

/**
 * Starts to listen. `local` is the address for this machine,
 * `others` the one for other machines, and `all` are all addresses at which the server can be reached.
 */
export const listen = async (server: Server, { host, port, scheme, variable }: At) => {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw explain(error, { host, port, variable });
  });
  const { port: taken } = server.address() as AddressInfo;
  const at = (address: string): string => `${scheme}://${inUrl(address)}:${taken}`;
  if (!everywhere.includes(host)) return { local: at(host), others: at(host), all: [at(host)] };
  const own = ownAddresses();
  return { local: at('127.0.0.1'), others: at(own[0] ?? '127.0.0.1'), all: ['127.0.0.1', '::1', ...own].map(at) };
};
export type Origins = Awaited<ReturnType<typeof listen>>;
