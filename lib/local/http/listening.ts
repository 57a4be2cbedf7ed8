import { once } from 'node:events';
import { type AddressInfo, isIP, type Server } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Wildcards for every address on the machine. */
const everywhere = ['0.0.0.0', '::'];

/** Whether only this machine can reach a server listening on a host. */
export const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/i.test(host);

/**
 * The addresses at which other machines can reach this one, IPv4 first. A server on 0.0.0.0 has only IPv4 addresses.
 */
const ownAddresses = (host: string): string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, scopeid, family }) => !internal && !scopeid && (host === '::' || family === 'IPv4'))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);

const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

/** Where a server listens. A `port` of 0 picks a free one. `variable` is the name of the port setting. */
type ListenOptions = { host: string; port: number; scheme: string; variable: string };

/** Explains why a server cannot listen, and names the setting to change. */
const explain = (error: NodeJS.ErrnoException, { host, port, variable }: Omit<ListenOptions, 'scheme'>): Error => {
  if (error.code === 'EADDRINUSE') return new Error(`${variable}: another process listens on port ${port} of ${host}`);
  if (error.code === 'EACCES') return new Error(`${variable}: this user is not permitted to listen on port ${port}`);
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(error.code ?? ''))
    return new Error(`HOST: ${host} is not an address or host name of this machine`);
  return error;
};

/**
 * Starts listening. Returns the URL for this machine (`local`), the one for other machines (`others`), and all URLs at
 * which the server can be reached (`all`).
 */
export const listen = async (server: Server, { host, port, scheme, variable }: ListenOptions) => {
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw explain(error, { host, port, variable });
  });
  const { port: actualPort } = server.address() as AddressInfo;
  const at = (address: string): string => `${scheme}://${inUrl(address)}:${actualPort}`;
  if (!everywhere.includes(host)) return { local: at(host), others: at(host), all: [at(host)] };
  const own = ownAddresses(host);
  return { local: at('127.0.0.1'), others: at(own[0] ?? hostname()), all: ['127.0.0.1', '::1', ...own].map(at) };
};
export type Origins = Awaited<ReturnType<typeof listen>>;
